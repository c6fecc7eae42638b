// Batch normalisation.
#ifndef popnn_BatchNorm_hpp
#define popnn_BatchNorm_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

// Activations are [batch, channels, field...], FLOAT or HALF; means and deviations are of the same type and belong to a channel. The variance is
// always computed from differences to the mean, in float: `stableAlgo` and `partialsType` have no effect.
// poputil::poplibs_error is thrown for shapes and types that do not fit. There are no options.
namespace popnn {
namespace bn {

/// Mean and 1 / sqrt(variance + eps) of every channel. `unbiasedVarEstimate` divides by the number of elements less one.
std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                    bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

/// (acts - mean) * invStdDev.
poplar::Tensor batchNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                               const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

/// gamma * whitened + beta, and the whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma, const poplar::Tensor &beta,
               const poplar::Tensor &mean, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
/// combinedMultiplicand * acts + addend, for inference: combinedMultiplicand = gamma * invStdDev, addend = beta - mean * combinedMultiplicand.
poplar::Tensor batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::Tensor &combinedMultiplicand, const poplar::Tensor &addend,
                              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {});

} // namespace bn
} // namespace popnn

#endif
