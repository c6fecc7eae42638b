#include "element_vertices.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

bool isSupported(const Type &t) {
  return t == FLOAT || t == HALF || t == INT || t == UNSIGNED_INT || t == SHORT || t == UNSIGNED_SHORT || t == CHAR ||
         t == SIGNED_CHAR || t == UNSIGNED_CHAR || t == LONGLONG || t == UNSIGNED_LONGLONG || t == BOOL;
}

void check(const Tensor &src, const Type &dstType, const DebugContext &dc) {
  if (!isSupported(src.elementType()) || !isSupported(dstType))
    throw poplibs_error("popops::cast (" + dc.getPathName() + "): " + src.elementType().toString() + " to " +
                        dstType.toString() + " is not supported");
}

void addCastVertices(Graph &graph, const Tensor &src, const Tensor &dst, ComputeSet cs, const DebugContext &dc) {
  check(src, dst.elementType(), dc);
  if (src.shape() != dst.shape())
    throw poplibs_error("popops::cast (" + dc.getPathName() + "): a tensor of shape " + src.shapeToString() +
                        " into one of shape " + dst.shapeToString());
  const std::string vertex = poputil::templateVertex("popops::Cast", src.elementType(), dst.elementType());
  addElementVertices(graph, cs, vertex, {src}, dst, false, {});
}

} // namespace

program::Program cast(Graph &graph, Tensor src, Tensor dst, const DebugContext &debugContext) {
  if (src.elementType() == dst.elementType() && src.shape() == dst.shape())
    return program::Copy(src, dst, false, debugContext);
  const ComputeSet cs = graph.addComputeSet({debugContext, "Cast"});
  addCastVertices(graph, src, dst, cs, debugContext);
  return program::Execute(cs, debugContext);
}

void cast(Graph &graph, Tensor src, Tensor dst, ComputeSet cs) { addCastVertices(graph, src, dst, cs, {}); }

void castWithOutput(Graph &graph, const Tensor &src, const Tensor &dst, program::Sequence &prog,
                    const DebugContext &debugContext) {
  prog.add(cast(graph, src, dst, debugContext));
}

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType, program::Sequence &prog,
            const DebugContext &debugContext) {
  check(src, dstType, debugContext);
  const Tensor dst = createOutputForElementWiseOp(graph, {src}, dstType, {debugContext, "Cast"});
  castWithOutput(graph, src, dst, prog, debugContext);
  return dst;
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType, ComputeSet cs, const DebugContext &debugContext) {
  check(src, dstType, debugContext);
  const Tensor dst = createOutputForElementWiseOp(graph, {src}, dstType, {debugContext, "Cast"});
  addCastVertices(graph, src, dst, cs, debugContext);
  return dst;
}

Tensor checkAccuracyWhenCast(Graph &graph, const Tensor &input, Type outputType, double tolerance,
                             program::Sequence &prog, const DebugContext &debugContext) {
  if (input.elementType() != FLOAT || outputType != HALF || input.numElements() != 1)
    throw poplibs_error("popops::checkAccuracyWhenCast (" + debugContext.getPathName() +
                        "): one element of float, checked as half");
  using namespace expr;
  return map(graph, Abs(expr::Cast(expr::Cast(_1, HALF), FLOAT) - _1) < Abs(_1) * Const(static_cast<float>(tolerance)),
             {input.reshape({})}, prog, debugContext);
}

} // namespace popops
