// Conversions between element types.
#ifndef popops_Cast_hpp
#define popops_Cast_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// Floating-point values to integers are truncated and limited to the range of the integer; integers to smaller ones keep
// the low bits; everything but zero becomes `true`. One type to itself is a copy. All throw poputil::poplibs_error with
// the debug name for pairs of types that are not supported (quarter, double) and for different shapes.

/// A new tensor, mapped like `src`.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// Into `dst`, of the same shape.
void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});
/// As vertices of a compute set of the caller.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType, poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});

/// A BOOL scalar: whether the single element `input` cast to `outputType` and back differs by less than `tolerance`
/// times its value. `input` is FLOAT and `outputType` HALF.
poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input, poplar::Type outputType,
                                     double tolerance, poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
