// The logarithm of a softmax.
#ifndef popnn_LogSoftmax_hpp
#define popnn_LogSoftmax_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

/// x - log(sum of exp(x)) over the innermost dimension, in a stable form. FLOAT or HALF, one dimension at least; poputil::poplibs_error otherwise.
poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
