// Convolutions.
#ifndef poplin_Convolution_hpp
#define poplin_Convolution_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

#include <iosfwd>
#include <vector>

// Shapes: input [batch, groups * input channels, field...], weights [groups, output channels, input channels, kernel...], output
// [batch, groups * output channels, output field...].
//
// A convolution is planned as a grouped matrix product: rows are the elements of the output, the depth is the input channels at all
// positions of the kernel, columns are the output channels. Options and errors are those of poplin/MatMul.hpp.
namespace poplin {

poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

/// With `transposeAndFlipWeights` the weights are those of the forward pass of which this is the gradient: [groups, input
/// channels, output channels, kernel...], used flipped in all field dimensions.
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                           const ConvParams &params, bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);
void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                           const poplar::Tensor &out, const ConvParams &params, bool transposeAndFlipWeights,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// A vector of biases for activations [batch, channels, field...], one a channel.
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                            const poplar::DebugContext &debugContext = {"biases"},
                            const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations, const ConvParams &params,
                            const poplar::DebugContext &debugContext = {"biases"},
                            const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Adds the bias of its channel to every element of `in` [batch, channels, field...], in place.
void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {});

/// The convolution that gives the gradient of the input from that of the output, with transposeAndFlipWeights.
ConvParams getGradientParams(const ConvParams &params);

/// The gradient of the weights.
poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                     const poplar::Tensor &activations, const ConvParams &params,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Adds `scale` times the gradient of the weights to the weights.
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &weights,
                             const poplar::Tensor &activations, const ConvParams &params, const poplar::Tensor &scale,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &weights,
                             const poplar::Tensor &activations, const ConvParams &params, float scale,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// weightsOut [groups, input channels, output channels, kernel...] = weightsIn transposed and flipped.
void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {});

/// Prints the plan.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace poplin

#endif
