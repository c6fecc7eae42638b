// What the vertices of popnn cost.
#pragma once

#include "../poputil/library_codelets.hpp"

namespace popnn::internal {

poputil::internal::Estimators nonLinearityEstimators();
poputil::internal::Estimators rowEstimators();
poputil::internal::Estimators poolingEstimators();

} // namespace popnn::internal
