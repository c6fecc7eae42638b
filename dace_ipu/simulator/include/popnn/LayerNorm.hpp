// Layer normalisation.
#ifndef popnn_LayerNorm_hpp
#define popnn_LayerNorm_hpp

#include <popnn/GroupNorm.hpp>

// Group normalisation of one element of the batch: one group.
namespace popnn {
namespace ln {

inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                 bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return gn::groupNormStatistics(graph, acts, eps, prog, 1, unbiasedVarEstimate,
                                 stableAlgo, partialsType, debugContext, options);
}

inline poplar::Tensor layerNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                   const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return gn::groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
}

inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma, const poplar::Tensor &beta,
            const poplar::Tensor &mean, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return gn::groupNormalise(graph, acts, gamma, beta, mean, invStdDev, prog, debugContext, options);
}

} // namespace ln
} // namespace popnn

#endif
