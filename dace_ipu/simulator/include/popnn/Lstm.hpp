// Long short-term memory: Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000.
#ifndef popnn_Lstm_hpp
#define popnn_Lstm_hpp

#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstdint>
#include <utility>
#include <vector>

// For every step, with f, i, g, o the units in the order of BasicLstmCellUnit, each act(x W + h U + b):
//
//   c = f * c + i * g,  h = o * tanh(c)
//
// Types are FLOAT or HALF. Options: availableMemoryProportion, partialsType, inferenceOnly, preCalcWeights (one product
// of all inputs before the loop), weightAccumulatorsType; recomputationMode, numShards, rnnCodeReuse, rnnStepsPerWU and
// disableWUPartialInterleaving have no effect. Errors: poputil::poplibs_error for tensors that do not fit the
// parameters; poplar::invalid_option.
namespace popnn {
namespace lstm {

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

struct LstmParams {
  rnn::RnnParams rnn;
  // The same as in `rnn`, which alone is read.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes;
  bool outputFullSequence = true; ///< return the outputs of all steps, or of the last only
  bool doInputWeightCalc = true;
  bool calcInputGradients = true;
  bool preserveFinalState = false;                                           ///< no effect: the state is always kept
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder(); ///< of the units in weights and biases
  NonLinearityType activation = NonLinearityType::TANH;                      ///< of the candidate and of c
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;          ///< of the gates

  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const poplar::Tensor &timeSteps,
             std::vector<std::size_t> layerSizes, NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

/// h and c, or their gradients: [batch, output size] each.
struct LstmState {
  poplar::Tensor output;
  poplar::Tensor cellState;
  poplar::Tensor getAsTensor() const;
};

/// [4, input size, output size], [4, output size, output size] and [4, output size]; or their gradients.
struct LstmWeights {
  poplar::Tensor inputWeights;
  poplar::Tensor outputWeights;
  poplar::Tensor biases;
};

/// Floating-point operations of all steps, as PopLibs counts them: without non-linearities and additions of biases.
uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
uint64_t getBasicLstmCellWuFlops(const LstmParams &params);

/// The products that a layer consists of, for poplin::preplanMatMuls.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(LstmParams params,
                                                                                             poplar::OptionFlags opts);

/// [steps, batch, input size].
poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params, const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                      poplin::PlanningCache *planningCache = nullptr);
LstmState createInitialState(poplar::Graph &graph, const LstmParams &params, const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                                                              const poplar::DebugContext &debugContext,
                                                              const poplar::OptionFlags &options = {},
                                                              poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params, const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);

/// The outputs, [steps, batch, output size] or of the last step [batch, output size], and the final cell state. What
/// the backward pass needs goes to `intermediates` unless that is null.
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, const LstmState &stateInit, const poplar::Tensor &in,
        const LstmWeights &weights, poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);

/// The gradients of the initial state, from those of the outputs and, unless null or the number of steps varies, of
/// the final state. `inputGrad`, [steps, batch, input size], and `bwdIntermediates`, for lstmWU, may be null.
/// Activations: SIGMOID, HARD_SIGMOID, TANH, RELU.
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                  const poplar::Tensor &input, const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  const LstmState *lastStepStateGrad, poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                  const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);
/// With the gradient of the final cell state only.
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                  const poplar::Tensor &input, const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  const poplar::Tensor *lastCellStateGrad, poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                  const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);

/// The gradients of the weights.
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const LstmWeights &weights, const poplar::Tensor &input,
                   const poplar::Tensor &output, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);

/// Both.
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, const LstmState *lastStepStateGrad, poplar::Tensor *inputGrad,
                        LstmWeights &weightsGrad, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, const poplar::Tensor *lastCellStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);

} // namespace lstm
} // namespace popnn

#endif
