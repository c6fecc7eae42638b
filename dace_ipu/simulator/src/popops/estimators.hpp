// What the vertices of popops cost: one function for each source of codelets, defined beside the operation.
#pragma once

#include "../poputil/library_codelets.hpp"

#include <popops/ExprOp.hpp>

#include <cstdint>

namespace popops {

poputil::internal::Estimators broadcastEstimators();
poputil::internal::Estimators elementWiseEstimators();
poputil::internal::Estimators encodingEstimators();
poputil::internal::Estimators fillEstimators();
poputil::internal::Estimators loopEstimators();
poputil::internal::Estimators rearrangeEstimators();
poputil::internal::Estimators reduceEstimators();
poputil::internal::Estimators scaledAddEstimators();

/// Cycles of a worker for an operation on n elements, without its loads and stores.
std::uint64_t arithmeticCycles(expr::UnaryOpType op, const poplar::Type &type, std::uint64_t n);
std::uint64_t arithmeticCycles(expr::BinaryOpType op, const poplar::Type &type, std::uint64_t n);

} // namespace popops
