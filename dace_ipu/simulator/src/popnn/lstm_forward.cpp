#include "lstm.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>

namespace popnn::lstm {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::units;

namespace {

class Forward {
public:
  Forward(Graph &graph, const LstmParams &params, const LstmWeights &weights, const Options &options,
          poplin::PlanningCache *cache, const DebugContext &dc)
      : graph_(graph), params_(params), options_(options), cache_(cache), dc_(dc), weights_(weights) {}

  /// What does not depend on the state, before the loop: products with the inputs, and weights in their layout.
  void prepare(const Tensor &in, Sequence &prog) {
    const std::size_t batch = params_.rnn.batchSize, steps = params_.rnn.maxTimeSteps;
    const bool isInside = params_.doInputWeightCalc && !options_.preCalcWeights;
    const Tensor matrix = isInside ? internal::matrixOf(params_, weights_) : internal::outputRowsOf(params_, weights_);
    matrix_ = poplin::preArrangeMatMulInputRHS(graph_, {batch, matrix.dim(0)}, matrix, prog, {dc_, "weights"},
                                               options_.matMul, cache_);
    if (isInside)
      in_ = in;
    else if (params_.doInputWeightCalc)
      weighted_ = asSteps(graph_, weightInputs(in, prog), steps, prog, {dc_, "weighted"});
    if (weights_.biases.valid())
      biases_ = inOrder(weights_.biases, inverse(internal::userOrder(params_))).flatten();
  }

  /// The four units of a step: [batch, output size] each.
  std::vector<Tensor> unitsOf(const Step &step, const Tensor &hidden, Sequence &prog) {
    Tensor left = hidden;
    if (in_.valid())
      left = concat(take(graph_, in_, step, prog, {dc_, "x"}), hidden, 1);
    const Tensor sums = poplin::matMul(graph_, left, matrix_, prog, {dc_, "weigh"}, options_.matMul, cache_);
    if (weighted_.valid())
      popops::addInPlace(graph_, sums, take(graph_, weighted_, step, prog, {dc_, "x"}), prog, {dc_, "addInput"});
    if (biases_.valid())
      popops::addInPlace(graph_, sums, biases_, prog, {dc_, "addBiases"});
    const Tensor all = asUnits(sums, units);
    const Tensor gates = concat({all.slice(0, 2), all.slice(3, 4)});
    nonLinearityInPlace(graph_, params_.recurrentActivation, gates, prog, {dc_, "gates"});
    nonLinearityInPlace(graph_, params_.activation, all[BASIC_LSTM_CELL_CANDIDATE], prog, {dc_, "candidate"});
    return {all[0], all[1], all[2], all[3]};
  }

private:
  Graph &graph_;
  const LstmParams &params_;
  const Options &options_;
  poplin::PlanningCache *cache_;
  const DebugContext dc_;
  const LstmWeights &weights_;
  Tensor in_, weighted_, matrix_, biases_;

  Tensor weightInputs(const Tensor &in, Sequence &prog) {
    const Tensor matrix = asMatrix(inOrder(weights_.inputWeights, inverse(internal::userOrder(params_))));
    return poplin::matMul(graph_, in.flatten(0, 2), matrix, prog, {dc_, "weighInput"}, options_.matMul, cache_);
  }
};

} // namespace

std::pair<Tensor, Tensor> lstmFwd(Graph &graph, const LstmParams &params, const LstmState &stateInit, const Tensor &in,
                                  const LstmWeights &weights, Tensor *intermediates, Sequence &fwdProg,
                                  const DebugContext &debugContext, const OptionFlags &flags,
                                  poplin::PlanningCache *cache) {
  using namespace popops::expr;
  const DebugContext dc(debugContext, "lstmFwd");
  internal::check(dc, params, stateInit, weights, in);
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t steps = params.rnn.maxTimeSteps;
  const Tensor hidden = poputil::duplicate(graph, stateInit.output, fwdProg, {dc, "h"});
  const Tensor cell = poputil::duplicate(graph, stateInit.cellState, fwdProg, {dc, "c"});
  const Tensor outputs = params.outputFullSequence ? createSteps(graph, hidden, steps, {dc, "outputs"}) : hidden;
  const std::size_t kept = params.outputFullSequence ? internal::Hidden : internal::Hidden + 1;
  if (intermediates)
    *intermediates = createSteps(graph, stack(std::vector<Tensor>(kept, hidden)), steps, {dc, "intermediates"});

  Forward forward(graph, params, weights, options, cache, dc);
  forward.prepare(in, fwdProg);
  fwdProg.add(forEachStep(
      graph, params.rnn, false,
      [&](const Step &step, Sequence &prog) {
        const std::vector<Tensor> u = forward.unitsOf(step, hidden, prog);
        const Tensor newCell = popops::map(graph, _1 * _2 + _3 * _4, {u[0], cell, u[1], u[2]}, prog, {dc, "cell"});
        const Tensor tanh = nonLinearity(graph, params.activation, newCell, prog, {dc, "tanh"});
        const Tensor newHidden = popops::mul(graph, u[3], tanh, prog, {dc, "output"});
        if (intermediates) {
          std::vector<Tensor> values = {u[0], u[1], u[2], u[3], tanh, cell};
          if (kept > internal::Hidden)
            values.push_back(newHidden);
          put(graph, *intermediates, stack(values), step, prog, {dc, "keep"});
        }
        if (params.outputFullSequence)
          put(graph, outputs, zeroWhereOff(graph, step, newHidden, prog, {dc, "off"}), step, prog, {dc, "put"});
        prog.add(Copy(whereOn(graph, step, newHidden, hidden, prog, {dc, "hold"}), hidden, false, {dc, "h"}));
        prog.add(Copy(whereOn(graph, step, newCell, cell, prog, {dc, "hold"}), cell, false, {dc, "c"}));
      },
      {dc, "steps"}));
  return {outputs, cell};
}

} // namespace popnn::lstm
