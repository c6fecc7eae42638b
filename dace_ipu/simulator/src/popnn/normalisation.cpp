#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>

#include "norm.hpp"

#include <popops/ScaledAdd.hpp>

#include <algorithm>

namespace popnn {

using namespace poplar;
using namespace poplar::program;
using internal::NormShape;

namespace {

void checkOptions(const OptionFlags &options) {
  for (const auto &option : options)
    throw invalid_option("'" + option.first + "' is no option of batch normalisation");
}

NormShape grouped(std::size_t groups, const OptionFlags &options) {
  NormShape shape{groups, true};
  for (const auto &option : options)
    if (option.first != "groupNormStridedChannelGrouping")
      throw invalid_option("'" + option.first + "' is no option of group normalisation");
    else if (option.second != "true" && option.second != "false")
      throw invalid_option(option.first + " is '" + option.second + "': it must be 'true' or 'false'");
    else
      shape.strided = option.second == "true";
  return shape;
}

// As many groups as there are means for each element of the batch.
NormShape grouped(const Tensor &acts, const Tensor &mean, const OptionFlags &options) {
  const std::size_t batch = acts.rank() == 0 ? 1 : std::max<std::size_t>(1, acts.dim(0));
  return grouped(std::max<std::size_t>(1, mean.numElements() / batch), options);
}

// gamma += scale * gammaDelta, and so for beta. The scale is a float, or a tensor of one element.
template <typename Scale>
void update(Graph &graph, const Tensor &gamma, const Tensor &beta, const Tensor &gammaDelta, const Tensor &betaDelta,
            const Scale &scale, Sequence &prog, const DebugContext &dc) {
  popops::scaledAddTo(graph, concat(gamma, beta), concat(gammaDelta, betaDelta), scale, prog, dc);
}

} // namespace

namespace bn {

std::pair<Tensor, Tensor> batchNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog,
                                              bool unbiasedVarEstimate, bool, const Type &, const DebugContext &dc,
                                              const OptionFlags &options) {
  checkOptions(options);
  return internal::normStatistics(graph, acts, {}, {"batchNormStatistics", eps, unbiasedVarEstimate}, prog, dc);
}

Tensor batchNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean, const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &dc, const OptionFlags &options) {
  checkOptions(options);
  return internal::normWhiten(graph, acts, {}, mean, invStdDev, "batchNormWhiten", prog, dc);
}

std::pair<Tensor, Tensor> batchNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma, const Tensor &beta,
                                         const Tensor &mean, const Tensor &invStdDev, Sequence &prog,
                                         const DebugContext &dc, const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, invStdDev, prog, dc, options);
  return {internal::scaleChannels(graph, whitened, gamma, beta, "batchNormalise", prog, dc), whitened};
}

Tensor batchNormalise(Graph &graph, const Tensor &acts, const Tensor &combinedMultiplicand, const Tensor &addend,
                      Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  checkOptions(options);
  return internal::scaleChannels(graph, acts, combinedMultiplicand, addend, "batchNormalise", prog, dc);
}

std::pair<Tensor, Tensor> batchNormParamGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                                                  Sequence &prog, const Type &, const DebugContext &dc,
                                                  const OptionFlags &options) {
  checkOptions(options);
  return internal::normParamGradients(graph, actsWhitened, gradsIn, "batchNormParamGradients", prog, dc);
}

Tensor batchNormGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog, const Type &, const DebugContext &dc,
                          const OptionFlags &options) {
  checkOptions(options);
  return internal::normGradient(graph, actsWhitened, {}, gradsIn, invStdDev, gamma, "batchNormGradients", prog, dc);
}

std::pair<Tensor, Tensor> batchNormParamGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                                                  const Tensor &mean, const Tensor &iStdDev, Sequence &prog,
                                                  const Type &partialsType, const DebugContext &dc,
                                                  const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, iStdDev, prog, dc, options);
  return batchNormParamGradients(graph, whitened, gradsIn, prog, partialsType, dc, options);
}

Tensor batchNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma, Sequence &prog, const Type &partialsType,
                          const DebugContext &dc, const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, invStdDev, prog, dc, options);
  return batchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType, dc, options);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  checkOptions(options);
  update(graph, gamma, beta, gammaDelta, betaDelta, scale, prog, {dc, "batchNormParamUpdate"});
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog, const DebugContext &dc,
                          const OptionFlags &options) {
  checkOptions(options);
  update(graph, gamma, beta, gammaDelta, betaDelta, scale, prog, {dc, "batchNormParamUpdate"});
}

} // namespace bn

namespace gn {

std::pair<Tensor, Tensor> groupNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog,
                                              unsigned numGroups, bool unbiasedVarEstimate, bool, const Type &,
                                              const DebugContext &dc, const OptionFlags &options) {
  return internal::normStatistics(graph, acts, grouped(std::max(1u, numGroups), options),
                                  {"groupNormStatistics", eps, unbiasedVarEstimate}, prog, dc);
}

Tensor groupNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean, const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &dc, const OptionFlags &options) {
  return internal::normWhiten(graph, acts, grouped(acts, mean, options), mean, invStdDev, "groupNormWhiten", prog, dc);
}

std::pair<Tensor, Tensor> groupNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma, const Tensor &beta,
                                         const Tensor &mean, const Tensor &invStdDev, Sequence &prog,
                                         const DebugContext &dc, const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, dc, options);
  return {internal::scaleChannels(graph, whitened, gamma, beta, "groupNormalise", prog, dc), whitened};
}

std::pair<Tensor, Tensor> groupNormParamGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                                                  Sequence &prog, const Type &, const DebugContext &dc,
                                                  const OptionFlags &options) {
  grouped(1, options); // for unknown options
  return internal::normParamGradients(graph, actsWhitened, gradsIn, "groupNormParamGradients", prog, dc);
}

Tensor groupNormGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog, const Type &, const DebugContext &dc,
                          const OptionFlags &options) {
  return internal::normGradient(graph, actsWhitened, grouped(actsWhitened, invStdDev, options), gradsIn, invStdDev,
                                gamma, "groupNormGradients", prog, dc);
}

std::pair<Tensor, Tensor> groupNormParamGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                                                  const Tensor &mean, const Tensor &iStdDev, Sequence &prog,
                                                  const Type &partialsType, const DebugContext &dc,
                                                  const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, iStdDev, prog, dc, options);
  return groupNormParamGradients(graph, whitened, gradsIn, prog, partialsType, dc, options);
}

Tensor groupNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma, Sequence &prog, const Type &partialsType,
                          const DebugContext &dc, const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, dc, options);
  return groupNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType, dc, options);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  grouped(1, options); // for unknown options
  update(graph, gamma, beta, gammaDelta, betaDelta, scale, prog, {dc, "groupNormParamUpdate"});
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog, const DebugContext &dc,
                          const OptionFlags &options) {
  grouped(1, options); // for unknown options
  update(graph, gamma, beta, gammaDelta, betaDelta, scale, prog, {dc, "groupNormParamUpdate"});
}

} // namespace gn

} // namespace popnn
