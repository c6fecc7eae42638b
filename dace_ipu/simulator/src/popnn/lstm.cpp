// Parameters and tensors of the LSTM.
#include "lstm.hpp"

#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace popnn::lstm {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::units;

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
          BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes,
                       NonLinearityType activation, NonLinearityType recurrentActivation)
    : LstmParams(dataType, batchSize, timeSteps, Tensor(), std::move(layerSizes), activation, recurrentActivation) {}

LstmParams::LstmParams(Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const Tensor &timeSteps,
                       std::vector<std::size_t> layerSizes, NonLinearityType activation,
                       NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes), dataType(dataType), batchSize(batchSize),
      timeSteps(maxTimeSteps), layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

Tensor LstmState::getAsTensor() const { return stack({output, cellState}); }

// PopLibs, lib/popnn/Lstm.cpp.
uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return (params.doInputWeightCalc ? n.input : 0) + n.output + 4 * n.states;
}
uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return (params.calcInputGradients ? n.input : 0) + n.output + 6 * n.states;
}
uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return n.input + n.output + 2 * units * n.states;
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>> getMatMulPrePlanParameters(LstmParams params,
                                                                                     OptionFlags opts) {
  const Options options = parseOptions(opts, params.rnn.dataType);
  const std::size_t batch = params.rnn.batchSize, in = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  const Type type = params.rnn.dataType;
  const std::size_t depth = options.preCalcWeights || !params.doInputWeightCalc ? out : in + out;
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> products = {
      {{type, type, {batch, depth}, {depth, units * out}}, options.matMul}};
  if (options.preCalcWeights && params.doInputWeightCalc)
    products.push_back({{type, type, {params.rnn.maxTimeSteps * batch, in}, {in, units * out}}, options.matMul});
  return products;
}

Tensor createInput(Graph &graph, const LstmParams &params, const DebugContext &dc, const OptionFlags &options,
                   poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createInputTensor(graph, params.rnn, 1, {dc, "input"});
}

Tensor createInitialOutput(Graph &graph, const LstmParams &params, const DebugContext &dc, const OptionFlags &options,
                           poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, {dc, "initialOutput"})[0];
}

Tensor createInitialCellState(Graph &graph, const LstmParams &params, const DebugContext &dc,
                              const OptionFlags &options, poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, {dc, "initialCellState"})[0];
}

LstmState createInitialState(Graph &graph, const LstmParams &params, const DebugContext &dc, const OptionFlags &options,
                             poplin::PlanningCache *cache) {
  return {createInitialOutput(graph, params, dc, options, cache),
          createInitialCellState(graph, params, dc, options, cache)};
}

void zeroInitialState(Graph &graph, const LstmState &initialState, Sequence &prog, const DebugContext &dc) {
  popops::zero(graph, initialState.getAsTensor(), prog, dc);
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph, const LstmParams &params, const DebugContext &dc,
                                              const OptionFlags &flags, poplin::PlanningCache *cache) {
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t batch = params.rnn.batchSize, in = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  const Tensor matrix = poplin::createMatMulInputRHS(graph, params.rnn.dataType, {batch, in + out},
                                                     {in + out, units * out}, {dc, "weights"}, options.matMul, cache);
  const Tensor all = inOrder(asUnits(matrix, units), internal::userOrder(params));
  return {all.slice(0, in, 1), all.slice(in, in + out, 1)};
}

Tensor createWeightsBiases(Graph &graph, const LstmParams &params, const DebugContext &dc, const OptionFlags &options,
                           poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  const Tensor biases = graph.addVariable(params.rnn.dataType, {units, params.rnn.layerSizes[1]}, {dc, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return inOrder(biases, internal::userOrder(params));
}

LstmWeights createWeights(Graph &graph, const LstmParams &params, const DebugContext &dc, const OptionFlags &options,
                          poplin::PlanningCache *cache) {
  const auto kernel = createWeightsKernel(graph, params, dc, options, cache);
  return {kernel.first, kernel.second, createWeightsBiases(graph, params, dc, options, cache)};
}

namespace internal {

std::vector<unsigned> userOrder(const LstmParams &params) {
  const std::vector<unsigned> order(params.cellOrder.begin(), params.cellOrder.end());
  std::vector<unsigned> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != std::vector<unsigned>{0, 1, 2, 3})
    fail({}, "cellOrder must name each of the four units once");
  return order;
}

void check(const DebugContext &dc, const LstmParams &params, const LstmState &state, const LstmWeights &weights,
           const Tensor &in) {
  const Type type = params.rnn.dataType;
  const std::size_t batch = params.rnn.batchSize, size = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  require(dc, "the input", in, type, {params.rnn.maxTimeSteps, batch, size});
  require(dc, "the initial output", state.output, type, {batch, out});
  require(dc, "the initial cell state", state.cellState, type, {batch, out});
  require(dc, "the tensor of input weights", weights.inputWeights, type, {units, size, out});
  require(dc, "the tensor of output weights", weights.outputWeights, type, {units, out, out});
  if (weights.biases.valid())
    require(dc, "the tensor of biases", weights.biases, type, {units, out});
  requireElementWise(dc, params.activation);
  requireElementWise(dc, params.recurrentActivation);
}

Tensor matrixOf(const LstmParams &params, const LstmWeights &weights) {
  return asMatrix(inOrder(concat(weights.inputWeights, weights.outputWeights, 1), inverse(userOrder(params))));
}

Tensor outputRowsOf(const LstmParams &params, const LstmWeights &weights) {
  return asMatrix(inOrder(weights.outputWeights, inverse(userOrder(params))));
}

} // namespace internal
} // namespace popnn::lstm
