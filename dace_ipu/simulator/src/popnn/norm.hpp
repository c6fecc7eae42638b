// Means and deviations of groups of activations, as all normalisations need them.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>
#include <utility>

namespace popnn::internal {

/// What shares a mean: of activations [batch, channels, field...], all batches of a channel (`groups` = 0), or all channels of one of
/// `groups` groups of one batch. Channel c is in group c % groups if `strided`, else in group c / (channels / groups).
struct NormShape {
  std::size_t groups = 0;
  bool strided = true;

  /// The activations as [means, elements of each].
  poplar::Tensor rows(const poplar::Tensor &acts) const;
  /// The activations as [means, parts, field], a part for each channel (or batch) that shares the mean.
  poplar::Tensor parts(const poplar::Tensor &acts) const;
};

struct NormOptions {
  std::string name; ///< of the function, for messages
  float eps;
  bool unbiased;
};

/// Mean and 1 / sqrt(variance + eps) of every row, of type `partialsType` or that of the activations.
std::pair<poplar::Tensor, poplar::Tensor> normStatistics(poplar::Graph &graph, const poplar::Tensor &acts,
                                                         const NormShape &shape, const NormOptions &options,
                                                         poplar::program::Sequence &prog,
                                                         const poplar::DebugContext &debugContext);
poplar::Tensor normWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const NormShape &shape,
                          const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const std::string &name,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
/// t * multiplicand + addend, one of each a channel.
poplar::Tensor scaleChannels(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &multiplicand,
                             const poplar::Tensor &addend, const std::string &name, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext);

} // namespace popnn::internal
