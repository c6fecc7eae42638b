#include "rnn.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Zero.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popnn::rnn {

using namespace poplar;
using namespace poplar::program;

namespace {

void check(const RnnParams &p) {
  if (p.dataType != FLOAT && p.dataType != HALF)
    throw poputil::poplibs_error("recurrent layer: the type " + p.dataType.toString() +
                                 " is not supported yet; there are float and half");
  if (p.layerSizes.size() != 2)
    throw poputil::poplibs_error("recurrent layer: layerSizes has " + std::to_string(p.layerSizes.size()) +
                                 " elements; needed are the sizes of input and output");
  if (p.batchSize * p.maxTimeSteps * p.layerSizes[0] * p.layerSizes[1] == 0)
    throw poputil::poplibs_error("recurrent layer: batch, steps and layers must not be empty");
  if (!p.varTimeSteps.valid())
    return;
  const Tensor &t = p.varTimeSteps;
  if (t.elementType() != UNSIGNED_INT || t.rank() != 1 || (t.dim(0) != 1 && t.dim(0) != p.batchSize))
    throw poputil::poplibs_error("recurrent layer: the number of steps is unsigned int of shape {1} or {" +
                                 std::to_string(p.batchSize) + "}, not " + t.elementType().toString() + " " +
                                 t.shapeToString());
}

std::size_t bytesPerTile(const Graph &graph, const RnnParams &p, std::size_t size) {
  const std::size_t bytes = p.batchSize * size * graph.getTarget().getTypeSize(p.dataType);
  return (bytes + graph.getTarget().getNumTiles() - 1) / graph.getTarget().getNumTiles();
}

// [batch, size] over all tiles.
Tensor createOne(Graph &graph, const RnnParams &p, std::size_t size, const DebugContext &dc) {
  const Tensor t = graph.addVariable(p.dataType, {p.batchSize, size}, dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

} // namespace

RnnParams::RnnParams(Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes)
    : RnnParams(dataType, batchSize, timeSteps, Tensor(), std::move(layerSizes)) {}

RnnParams::RnnParams(Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const Tensor &varTimeSteps,
                     std::vector<std::size_t> layerSizes)
    : dataType(dataType), batchSize(batchSize), maxTimeSteps(maxTimeSteps), timeSteps(maxTimeSteps),
      varTimeSteps(varTimeSteps), layerSizes(std::move(layerSizes)) {
  check(*this);
}

std::size_t RnnParams::getMaxShards(const Graph &) const { return 1; }
std::size_t RnnParams::getInputBytesPerTile(const Graph &graph) const {
  return bytesPerTile(graph, *this, layerSizes[0]);
}
std::size_t RnnParams::getOutputBytesPerTile(const Graph &graph) const {
  return bytesPerTile(graph, *this, layerSizes[1]);
}
bool RnnParams::variableTimeSteps() const { return varTimeSteps.valid(); }
bool RnnParams::batchVariableTimeSteps() const { return varTimeSteps.valid() && varTimeSteps.numElements() > 1; }

Tensor createInitialState(Graph &graph, const RnnParams &params, bool isOutput, unsigned multiple, unsigned,
                          const DebugContext &dc) {
  return internal::createSteps(graph, createOne(graph, params, params.layerSizes[isOutput ? 1 : 0], dc), multiple, dc);
}

Tensor createRecurrentTensor(Graph &graph, const RnnParams &params, unsigned size, unsigned, const DebugContext &dc) {
  return internal::createSteps(graph, createOne(graph, params, size, dc), params.maxTimeSteps, dc);
}

Tensor createInputTensor(Graph &graph, const RnnParams &params, unsigned numShards, const DebugContext &dc) {
  return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes[0]), numShards, dc);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params, unsigned numShards, const DebugContext &dc) {
  return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes[1]), numShards, dc);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params, unsigned multiple, unsigned, const DebugContext &dc) {
  return internal::createSteps(graph, createOne(graph, params, params.layerSizes[1], dc),
                               multiple * params.maxTimeSteps, dc);
}

namespace internal {

void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("recurrent layer" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

Options parseOptions(const OptionFlags &flags, const Type &dataType) {
  using poplibs::OptionHandler;
  Options options{{}, dataType, false};
  const std::map<std::string, Type> types = {{"half", HALF}, {"float", FLOAT}};
  bool ignored = false;
  unsigned number = 0;
  std::string text;
  double proportion = 0;
  Type partials = FLOAT;
  poplibs::OptionSpec({{"availableMemoryProportion", OptionHandler::createWithDouble(proportion)},
                       {"partialsType", OptionHandler::createWithEnum(partials, types)},
                       {"weightAccumulatorsType", OptionHandler::createWithEnum(options.accumulators, types)},
                       {"preCalcWeights", OptionHandler::createWithBool(options.preCalcWeights)},
                       {"inferenceOnly", OptionHandler::createWithBool(ignored)},
                       {"recomputationMode", OptionHandler::createWithString(text)},
                       {"numShards", OptionHandler::createWithInteger(number)},
                       {"rnnCodeReuse", OptionHandler::createWithBool(ignored)},
                       {"rnnStepsPerWU", OptionHandler::createWithInteger(number)},
                       {"disableWUPartialInterleaving", OptionHandler::createWithBool(ignored)}})
      .parse(flags);
  for (const auto &flag : flags)
    if (flag.first == "availableMemoryProportion" || flag.first == "partialsType")
      options.matMul.set(flag.first, flag.second);
  return options;
}

void require(const DebugContext &dc, const char *name, const Tensor &t, const Type &type,
             const std::vector<std::size_t> &shape) {
  if (t.elementType() == type && t.shape() == shape)
    return;
  std::string wanted;
  for (const std::size_t n : shape)
    wanted += (wanted.empty() ? "" : ",") + std::to_string(n);
  fail(dc, std::string(name) + " is " + t.elementType().toString() + " " + t.shapeToString() + ", not " +
               type.toString() + " {" + wanted + "}");
}

void requireElementWise(const DebugContext &dc, NonLinearityType type) {
  if (type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
      type == NonLinearityType::SOFTMAX_SCALED)
    fail(dc, "a softmax cannot be the activation of a unit");
}

void requireGradient(const DebugContext &dc, NonLinearityType type) {
  requireElementWise(dc, type);
  if (type == NonLinearityType::GELU || type == NonLinearityType::GELU_ERF || type == NonLinearityType::SWISH)
    fail(dc, "the gradient of this activation is not supported yet: it needs the values before the activation");
}

Tensor asMatrix(const Tensor &units) { return units.dimShuffle({1, 0, 2}).flatten(1, 3); }

Tensor asUnits(const Tensor &matrix, std::size_t units) {
  return matrix.reshape({matrix.dim(0), units, matrix.dim(1) / units}).dimShuffle({1, 0, 2});
}

Tensor inOrder(const Tensor &t, const std::vector<unsigned> &order) {
  std::vector<Tensor> units;
  for (const unsigned unit : order)
    units.push_back(t[unit]);
  return stack(units);
}

std::vector<unsigned> inverse(const std::vector<unsigned> &order) {
  std::vector<unsigned> result(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    result.at(order[i]) = i;
  return result;
}

Tensor stack(const std::vector<Tensor> &tensors) {
  std::vector<Tensor> rows;
  for (const Tensor &t : tensors)
    rows.push_back(t.expand({0}));
  return concat(rows);
}

Tensor createSteps(Graph &graph, const Tensor &like, std::size_t steps, const DebugContext &dc) {
  return popops::createSliceableTensorFromSlice(graph, like.expand({0}), {0}, {steps}, dc);
}

Tensor asSteps(Graph &graph, const Tensor &product, std::size_t steps, Sequence &prog, const DebugContext &dc) {
  const Tensor all = product.reshape({steps, product.dim(0) / steps, product.dim(1)});
  const Tensor one = graph.addVariable(all.elementType(), {all.dim(1), all.dim(2)}, dc);
  poputil::mapTensorLinearly(graph, one);
  const Tensor result = createSteps(graph, one, steps, dc);
  prog.add(Copy(all, result, false, dc));
  return result;
}

Sequence forEachStep(Graph &graph, const RnnParams &params, bool backwards, const StepBody &body,
                     const DebugContext &dc) {
  const auto last = static_cast<unsigned>(params.maxTimeSteps - 1);
  return popops::countedLoop(
      graph, params.maxTimeSteps,
      [&](const Tensor &counter) {
        Sequence prog;
        Step step;
        step.index = backwards ? popops::sub(graph, last, counter, prog, {dc, "step"}) : counter;
        if (params.variableTimeSteps())
          step.isOn = popops::lt(graph, step.index, params.varTimeSteps, prog, {dc, "isOn"}).expand({1});
        body(step, prog);
        return prog;
      },
      dc);
}

Tensor take(Graph &graph, const Tensor &steps, const Step &step, Sequence &prog, const DebugContext &dc) {
  return popops::dynamicSlice(graph, steps, step.index, {0}, {1}, prog, dc)[0];
}

void put(Graph &graph, const Tensor &steps, const Tensor &value, const Step &step, Sequence &prog,
         const DebugContext &dc) {
  popops::dynamicUpdate(graph, steps, value.expand({0}), step.index, {0}, {1}, prog, dc);
}

Tensor whereOn(Graph &graph, const Step &step, const Tensor &value, const Tensor &otherwise, Sequence &prog,
               const DebugContext &dc) {
  return step.isOn.valid() ? popops::select(graph, value, otherwise, step.isOn, prog, dc) : value;
}

Tensor zeroWhereOff(Graph &graph, const Step &step, const Tensor &value, Sequence &prog, const DebugContext &dc) {
  using namespace popops::expr;
  return step.isOn.valid() ? popops::map(graph, Select(_1, Const(0.0f), _2), {value, step.isOn}, prog, dc) : value;
}

Tensor copyOrZeros(Graph &graph, const Tensor &t, const Tensor &like, Sequence &prog, const DebugContext &dc) {
  const Tensor copy = graph.clone(like, dc);
  if (t.valid())
    prog.add(Copy(t, copy, false, dc));
  else
    popops::zero(graph, copy, prog, dc);
  return copy;
}

} // namespace internal
} // namespace popnn::rnn
