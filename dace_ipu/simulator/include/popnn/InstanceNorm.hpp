// Instance normalisation.
#ifndef popnn_InstanceNorm_hpp
#define popnn_InstanceNorm_hpp

#include <popnn/GroupNorm.hpp>

// Group normalisation of every channel of an element of the batch: as many groups as channels.
namespace popnn {
namespace in {

inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                 bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return gn::groupNormStatistics(graph, acts, eps, prog, acts.rank() < 2 ? 1 : static_cast<unsigned>(acts.dim(1)), unbiasedVarEstimate,
                                 stableAlgo, partialsType, debugContext, options);
}

inline poplar::Tensor instanceNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                   const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return gn::groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
}

inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma, const poplar::Tensor &beta,
            const poplar::Tensor &mean, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return gn::groupNormalise(graph, acts, gamma, beta, mean, invStdDev, prog, debugContext, options);
}

} // namespace in
} // namespace popnn

#endif
