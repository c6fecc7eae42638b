// Parameters and tensors of the GRU.
#include "gru.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace popnn::gru {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::units;

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes,
                     NonLinearityType activation, NonLinearityType recurrentActivation)
    : GruParams(dataType, batchSize, timeSteps, Tensor(), std::move(layerSizes), activation, recurrentActivation) {}

GruParams::GruParams(Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const Tensor &timeSteps,
                     std::vector<std::size_t> layerSizes, NonLinearityType activation,
                     NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes), dataType(dataType), batchSize(batchSize),
      timeSteps(maxTimeSteps), layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

// PopLibs, lib/popnn/Gru.cpp.
uint64_t getBasicGruCellFwdFlops(const GruParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return n.input + n.output + 5 * n.states;
}
uint64_t getBasicGruCellBwdFlops(const GruParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return (params.calcInputGradients ? n.input : 0) + 2 * n.output + 8 * n.states;
}
uint64_t getBasicGruCellWuFlops(const GruParams &params) {
  const rnn::internal::Counts n(params.rnn, units);
  return n.input + n.output + 2 * units * n.states;
}

Tensor createInput(Graph &graph, const GruParams &params, const DebugContext &dc, const OptionFlags &options,
                   poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createInputTensor(graph, params.rnn, 1, {dc, "input"});
}

Tensor createInitialState(Graph &graph, const GruParams &params, const DebugContext &dc, const OptionFlags &options,
                          poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, {dc, "initialState"})[0];
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph, const GruParams &params, const DebugContext &dc,
                                              const OptionFlags &flags, poplin::PlanningCache *cache) {
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t batch = params.rnn.batchSize, in = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  const auto matrix = [&](std::size_t rows, std::size_t columns, const char *name) {
    return poplin::createMatMulInputRHS(graph, params.rnn.dataType, {batch, rows}, {rows, columns}, {dc, name},
                                        options.matMul, cache);
  };
  const std::vector<unsigned> order = internal::userOrder(params);
  if (params.resetAfter)
    return {inOrder(asUnits(matrix(in, units * out, "inputWeights"), units), order),
            inOrder(asUnits(matrix(out, units * out, "outputWeights"), units), order)};
  const Tensor gates = asUnits(matrix(in + out, 2 * out, "gates"), 2);
  const Tensor all = inOrder(concat(gates, asUnits(matrix(in + out, out, "candidate"), 1)), order);
  return {all.slice(0, in, 1), all.slice(in, in + out, 1)};
}

Tensor createWeightsBiases(Graph &graph, const GruParams &params, const DebugContext &dc, const OptionFlags &options,
                           poplin::PlanningCache *) {
  parseOptions(options, params.rnn.dataType);
  const std::size_t out = params.rnn.layerSizes[1];
  const Tensor biases = graph.addVariable(params.rnn.dataType,
                                          params.resetAfter ? std::vector<std::size_t>{units, 2, out}
                                                            : std::vector<std::size_t>{units, out},
                                          {dc, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return inOrder(biases, internal::userOrder(params));
}

GruWeights createWeights(Graph &graph, const GruParams &params, const DebugContext &dc, const OptionFlags &options,
                         poplin::PlanningCache *cache) {
  const auto kernel = createWeightsKernel(graph, params, dc, options, cache);
  return {kernel.first, kernel.second, createWeightsBiases(graph, params, dc, options, cache)};
}

Tensor createAttention(Graph &graph, const GruParams &params, const DebugContext &dc, const OptionFlags &options) {
  parseOptions(options, params.rnn.dataType);
  return rnn::createRecurrentTensor(graph, params.rnn, 1, 1, {dc, "attention"}).squeeze({2}).transpose();
}

namespace internal {

std::size_t hiddenKept(const GruParams &params) { return params.resetAfter ? Recurrent + 1 : Recurrent; }
std::size_t numKept(const GruParams &params) { return hiddenKept(params) + (params.outputFullSequence ? 0 : 1); }

std::vector<unsigned> userOrder(const GruParams &params) {
  const std::vector<unsigned> order(params.cellOrder.begin(), params.cellOrder.end());
  std::vector<unsigned> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != std::vector<unsigned>{0, 1, 2})
    fail({}, "cellOrder must name each of the three units once");
  return order;
}

void check(const DebugContext &dc, const GruParams &params, const Tensor &state, const GruWeights &weights,
           const Tensor &in, const Tensor &attention) {
  const Type type = params.rnn.dataType;
  const std::size_t batch = params.rnn.batchSize, size = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  require(dc, "the input", in, type, {params.rnn.maxTimeSteps, batch, size});
  require(dc, "the initial state", state, type, {batch, out});
  require(dc, "the tensor of input weights", weights.inputWeights, type, {units, size, out});
  require(dc, "the tensor of output weights", weights.outputWeights, type, {units, out, out});
  if (weights.biases.valid() && params.resetAfter)
    require(dc, "the tensor of biases", weights.biases, type, {units, 2, out});
  else if (weights.biases.valid())
    require(dc, "the tensor of biases", weights.biases, type, {units, out});
  if (attention.valid())
    require(dc, "the attention", attention, type, {batch, params.rnn.maxTimeSteps});
  requireElementWise(dc, params.activation);
  requireElementWise(dc, params.recurrentActivation);
}

GruParams withSteps(const GruParams &params, const Tensor &realTimeSteps) {
  GruParams result = params;
  result.rnn = rnn::RnnParams(params.rnn.dataType, params.rnn.batchSize, params.rnn.maxTimeSteps, realTimeSteps,
                              params.rnn.layerSizes);
  return result;
}

Matrices matricesOf(const GruParams &params, const GruWeights &weights) {
  const std::vector<unsigned> order = inverse(userOrder(params));
  const Tensor in = inOrder(weights.inputWeights, order), out = inOrder(weights.outputWeights, order);
  if (params.resetAfter)
    return {asMatrix(in), asMatrix(out)};
  const Tensor both = concat(in, out, 1);
  return {asMatrix(both.slice(0, 2)), asMatrix(both.slice(2, 3))};
}

Tensor inattention(Graph &graph, const Tensor &attention, const Step &step, Sequence &prog, const DebugContext &dc) {
  if (!attention.valid())
    return {};
  const Tensor own = take(graph, attention.transpose(), step, prog, {dc, "attention"});
  return popops::sub(graph, 1.0f, own, prog, {dc, "inattention"}).expand({1});
}

} // namespace internal
} // namespace popnn::gru
