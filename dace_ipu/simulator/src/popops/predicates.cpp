// One BOOL for a whole tensor.
#include <poputil/exceptions.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>

namespace popops {

using namespace poplar;

namespace {

Tensor reduceAll(Graph &graph, const Tensor &t, Operation op, program::Sequence &prog, const DebugContext &dc) {
  return reduce(graph, t.flatten(), {0}, op, prog, {dc});
}

} // namespace

Tensor allTrue(Graph &graph, Tensor A, program::Sequence &prog, const DebugContext &debugContext) {
  const Type type = A.elementType();
  if (type != BOOL && type != INT && type != UNSIGNED_INT)
    throw poputil::poplibs_error("popops::allTrue (" + debugContext.getPathName() + "): elements of type " +
                                 type.toString() + "; they must be bool, int or unsigned int");
  const Tensor flags = type == BOOL ? A : cast(graph, A, BOOL, prog, {debugContext, "AllTrue"});
  return reduceAll(graph, flags, Operation::LOGICAL_AND, prog, {debugContext, "AllTrue"});
}

Tensor hasNaN(Graph &graph, const Tensor &src, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor flags = isNaN(graph, src, prog, {debugContext, "HasNaN"});
  return reduceAll(graph, flags, Operation::LOGICAL_OR, prog, {debugContext, "HasNaN"});
}

Tensor hasNaNOrInf(Graph &graph, const Tensor &src, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor flags = map(graph, expr::Not(expr::IsFinite(expr::_1)), {src}, prog, {debugContext, "HasNaNOrInf"});
  return reduceAll(graph, flags, Operation::LOGICAL_OR, prog, {debugContext, "HasNaNOrInf"});
}

} // namespace popops
