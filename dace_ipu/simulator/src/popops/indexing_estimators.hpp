// What the vertices that slice, sort, gather and select cost.
#pragma once

#include "../poputil/library_codelets.hpp"

namespace popops {

poputil::internal::Estimators sliceEstimators();
poputil::internal::Estimators sortEstimators();
poputil::internal::Estimators circBufEstimators();

} // namespace popops
