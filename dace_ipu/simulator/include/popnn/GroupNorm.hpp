// Group normalisation.
#ifndef popnn_GroupNorm_hpp
#define popnn_GroupNorm_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

// As popnn/BatchNorm.hpp, but a mean belongs to a group of channels of one element of the batch: means are [batch * groups]. Channel c is in group
// c % groups, or with the option groupNormStridedChannelGrouping "false" in group c / (channels / groups).
namespace popnn {
namespace gn {

std::pair<poplar::Tensor, poplar::Tensor>
groupNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                    unsigned numGroups, bool unbiasedVarEstimate, bool stableAlgo = false,
                    const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
poplar::Tensor groupNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                               const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
/// gamma * whitened + beta, with one gamma and beta a channel, and the whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
groupNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma, const poplar::Tensor &beta,
               const poplar::Tensor &mean, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

} // namespace gn
} // namespace popnn

#endif
