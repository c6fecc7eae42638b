// Where the result of an element-wise operation lies.
#ifndef popops_ElementWiseUtil_hpp
#define popops_ElementWiseUtil_hpp

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

namespace popops {

/// A new tensor of the shape that the inputs broadcast to, mapped like the best spread input of that shape, or linearly
/// if there is none without aliases and constants.
poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph, const std::vector<poplar::Tensor> &inputs,
                                            const poplar::Type &outputType,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
