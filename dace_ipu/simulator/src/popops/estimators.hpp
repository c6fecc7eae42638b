// What the vertices of popops cost: one function for each source of codelets, defined beside the operation.
#pragma once

#include "../poputil/library_codelets.hpp"

namespace popops {

poputil::internal::Estimators broadcastEstimators();
poputil::internal::Estimators elementWiseEstimators();
poputil::internal::Estimators encodingEstimators();
poputil::internal::Estimators fillEstimators();
poputil::internal::Estimators loopEstimators();
poputil::internal::Estimators rearrangeEstimators();
poputil::internal::Estimators reduceEstimators();
poputil::internal::Estimators scaledAddEstimators();

} // namespace popops
