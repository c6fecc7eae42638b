// Softmax over the innermost dimension.
#pragma once

#include <popnn/NonLinearityDef.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn::internal {

/// The largest element is always subtracted first, also for NonLinearityType::SOFTMAX: no result overflows.
poplar::Tensor softmax(poplar::Graph &graph, NonLinearityType type, const poplar::Tensor &t,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
poplar::Tensor logSoftmax(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext);
poplar::Tensor softmaxInputGradient(poplar::Graph &graph, const poplar::Tensor &out, const poplar::Tensor &outGradient,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace popnn::internal
