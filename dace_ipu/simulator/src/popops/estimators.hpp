// What the vertices of popops cost: one function for each source of codelets, defined beside the operation.
#pragma once

#include "../poputil/library_codelets.hpp"

namespace popops {

poputil::internal::Estimators elementWiseEstimators();
poputil::internal::Estimators fillEstimators();
poputil::internal::Estimators reduceEstimators();

} // namespace popops
