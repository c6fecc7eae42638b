// Gated recurrent units: Cho et al. 2014.
#ifndef popnn_Gru_hpp
#define popnn_Gru_hpp

#include <poplin/MatMul.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstdint>
#include <utility>
#include <vector>

// For every step, with r = act(x W + h U + b) and u likewise:
//
//   c = tanh(x W + (r * h) U + b), or with resetAfter c = tanh(x W + b0 + r * (h U + b1)),
//   h = u * h + (1 - u) * c
//
// The functions auGru... multiply u by one minus the attention of the step first.
//
// Types are FLOAT or HALF. Options: availableMemoryProportion, partialsType, inferenceOnly, weightAccumulatorsType;
// numShards and rnnCodeReuse have no effect. Errors: poputil::poplibs_error for tensors that do not fit the parameters;
// poplar::invalid_option.
namespace popnn {
namespace gru {

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

struct GruParams {
  rnn::RnnParams rnn;
  // The same as in `rnn`, which alone is read.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes;
  bool outputFullSequence = true; ///< return the outputs of all steps, or of the last only
  bool calcInputGradients = true;
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder(); ///< of the units in weights and biases
  bool resetAfter = false;
  NonLinearityType activation = NonLinearityType::TANH;             ///< of the candidate
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID; ///< of r and u

  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const poplar::Tensor &timeSteps,
            std::vector<std::size_t> layerSizes, NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

/// [3, input size, output size], [3, output size, output size], and [3, output size] or, with resetAfter,
/// [3, 2, output size]; or their gradients.
struct GruWeights {
  poplar::Tensor inputWeights;
  poplar::Tensor outputWeights;
  poplar::Tensor biases;
};

/// Floating-point operations of all steps, as PopLibs counts them: without non-linearities and additions of biases.
uint64_t getBasicGruCellFwdFlops(const GruParams &params);
uint64_t getBasicGruCellBwdFlops(const GruParams &params);
uint64_t getBasicGruCellWuFlops(const GruParams &params);

/// [steps, batch, input size].
poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
/// [batch, output size].
poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                                  poplin::PlanningCache *cache);
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                                                              const poplar::DebugContext &debugContext,
                                                              const poplar::OptionFlags &options = {},
                                                              poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
GruWeights createWeights(poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
/// [batch, steps].
poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options = {});

// Where there is `realTimeSteps`, it is what params.rnn.varTimeSteps is.

/// The outputs, [steps, batch, output size] or of the last step [batch, output size]. What the backward pass needs goes
/// to `intermediates` unless that is null.
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                      const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                      const poplar::Tensor &in, const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                      poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                        const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                        const poplar::Tensor &attScores, poplar::program::Sequence &fwdProg,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                        const poplar::Tensor &in, const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                        poplar::Tensor *intermediates, const poplar::Tensor &attScores,
                        poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);

/// The gradient of the initial state. `inputGrad`, [steps, batch, input size], and `bwdIntermediates`, for gruWU, may
/// be null. Activations: SIGMOID, HARD_SIGMOID, TANH, RELU.
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                      const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                      const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                      const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      poplin::PlanningCache *planningCache);
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                      const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                      const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                      const poplar::Tensor &output, const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                      poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                        const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                        const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                        const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                        const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                        poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                        const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                        const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                        const poplar::Tensor &output, const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                        poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                        poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);

/// The gradients of the weights.
GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                 const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                 const poplar::Tensor &bwdIntermediates, const GruWeights &weights, const poplar::Tensor &input,
                 const poplar::Tensor &output, const poplar::DebugContext &debugContext,
                 const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);
GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const GruWeights &weights, const poplar::Tensor &input,
                   const poplar::Tensor &output, const poplar::DebugContext &debugContext,
                   const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);

/// Both.
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                            const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                            const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                            const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                            const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                            poplin::PlanningCache *planningCache);
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                            const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                            const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                            const poplar::Tensor &output, const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                            GruWeights &weightsGrad, const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                              const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                              const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                              const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                              const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                              const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                              poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                              const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                              const GruWeights &weights, const poplar::Tensor &input,
                              const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                              const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                              const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                              const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                              poplin::PlanningCache *planningCache);

} // namespace gru
} // namespace popnn

#endif
