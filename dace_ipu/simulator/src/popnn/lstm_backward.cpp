#include "lstm.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popnn::lstm {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::units;

namespace {

// The gradients of the four sums of a step, [4, batch, output size], and that of the cell state after the step.
std::pair<Tensor, Tensor> unitGradients(Graph &graph, const LstmParams &params, const Tensor &kept,
                                        const Tensor &hiddenGrad, const Tensor &nextCellGrad, Sequence &prog,
                                        const DebugContext &dc) {
  using namespace popops::expr;
  const Tensor tanh = kept[internal::Tanh];
  const Tensor tanhGrad = popops::mul(graph, hiddenGrad, kept[internal::Output], prog, {dc, "tanhGrad"});
  const Tensor cellGrad = nonLinearityInputGradient(graph, params.activation, tanh, tanhGrad, prog, {dc, "cellGrad"});
  popops::addInPlace(graph, cellGrad, nextCellGrad, prog, {dc, "cellGrad"});
  const Tensor ofForget = popops::mul(graph, cellGrad, kept[internal::PreviousCell], prog, {dc, "forgetGrad"});
  const Tensor ofInput = popops::mul(graph, cellGrad, kept[internal::Candidate], prog, {dc, "inputGrad"});
  const Tensor ofCandidate = popops::mul(graph, cellGrad, kept[internal::Input], prog, {dc, "candidateGrad"});
  const Tensor ofOutput = popops::mul(graph, hiddenGrad, tanh, prog, {dc, "outputGrad"});
  const Tensor gates = stack({kept[internal::Forget], kept[internal::Input], kept[internal::Output]});
  const Tensor gateGrads = nonLinearityInputGradient(graph, params.recurrentActivation, gates,
                                                     stack({ofForget, ofInput, ofOutput}), prog, {dc, "gates"});
  const Tensor candidate = nonLinearityInputGradient(graph, params.activation, kept[internal::Candidate], ofCandidate,
                                                     prog, {dc, "candidate"});
  return {stack({gateGrads[0], gateGrads[1], candidate, gateGrads[2]}), cellGrad};
}

void checkGradients(const DebugContext &dc, const LstmParams &params, const Tensor &kept, const Tensor &outputGrad) {
  const std::size_t batch = params.rnn.batchSize, out = params.rnn.layerSizes[1], steps = params.rnn.maxTimeSteps;
  const Type type = params.rnn.dataType;
  const std::size_t values = params.outputFullSequence ? internal::Hidden : internal::Hidden + 1;
  requireGradient(dc, params.activation);
  requireGradient(dc, params.recurrentActivation);
  require(dc, "the tensor of intermediates", kept, type, {steps, values, batch, out});
  require(dc, "the gradient of the output", outputGrad, type,
          params.outputFullSequence ? std::vector<std::size_t>{steps, batch, out}
                                    : std::vector<std::size_t>{batch, out});
}

} // namespace

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &fwdStateInit,
                  const Tensor &fwdIntermediates, const LstmWeights &weights, const Tensor &input, const Tensor &,
                  const Tensor &outputGrad, const LstmState *lastStepStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext, const OptionFlags &flags,
                  poplin::PlanningCache *cache) {
  const DebugContext dc(debugContext, "lstmBwd");
  internal::check(dc, params, fwdStateInit, weights, input);
  checkGradients(dc, params, fwdIntermediates, outputGrad);
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t batch = params.rnn.batchSize, in = params.rnn.layerSizes[0], steps = params.rnn.maxTimeSteps;
  const bool isFull = params.outputFullSequence;
  const LstmState last = lastStepStateGrad && !params.rnn.variableTimeSteps() ? *lastStepStateGrad : LstmState();
  const Tensor hiddenGrad = copyOrZeros(graph, last.output, fwdStateInit.output, prog, {dc, "hGrad"});
  const Tensor cellGrad = copyOrZeros(graph, last.cellState, fwdStateInit.cellState, prog, {dc, "cGrad"});
  if (!isFull)
    popops::addInPlace(graph, hiddenGrad, outputGrad, prog, {dc, "outputGrad"});

  const Tensor matrix = inputGrad ? internal::matrixOf(params, weights) : internal::outputRowsOf(params, weights);
  const Tensor transposed = poplin::preArrangeMatMulInputRHS(graph, {batch, matrix.dim(1)}, matrix.transpose(), prog,
                                                             {dc, "weights"}, options.matMul, cache);
  if (inputGrad)
    *inputGrad = rnn::createInputTensor(graph, params.rnn, 1, {dc, "inputGrad"});
  if (bwdIntermediates)
    *bwdIntermediates =
        createSteps(graph, stack(std::vector<Tensor>(units, hiddenGrad)), steps, {dc, "bwdIntermediates"});

  prog.add(forEachStep(
      graph, params.rnn, true,
      [&](const Step &step, Sequence &body) {
        if (isFull) {
          const Tensor own = take(graph, outputGrad, step, body, {dc, "outputGrad"});
          popops::addInPlace(graph, hiddenGrad, zeroWhereOff(graph, step, own, body, {dc, "off"}), body,
                             {dc, "addOutputGrad"});
        }
        const Tensor kept = take(graph, fwdIntermediates, step, body, {dc, "kept"});
        const auto grads = unitGradients(graph, params, kept, hiddenGrad, cellGrad, body, dc);
        const Tensor ofUnits = zeroWhereOff(graph, step, grads.first, body, {dc, "off"});
        if (bwdIntermediates)
          put(graph, *bwdIntermediates, ofUnits, step, body, {dc, "keep"});
        const Tensor product =
            poplin::matMul(graph, asMatrix(ofUnits), transposed, body, {dc, "weigh"}, options.matMul, cache);
        const std::size_t split = inputGrad ? in : 0;
        if (inputGrad)
          put(graph, *inputGrad, product.slice(0, split, 1), step, body, {dc, "inputGrad"});
        const Tensor before = product.slice(split, product.dim(1), 1);
        const Tensor ofCell = popops::mul(graph, grads.second, kept[internal::Forget], body, {dc, "cellGrad"});
        body.add(Copy(whereOn(graph, step, before, hiddenGrad, body, {dc, "hold"}), hiddenGrad, false, {dc, "hGrad"}));
        body.add(Copy(whereOn(graph, step, ofCell, cellGrad, body, {dc, "hold"}), cellGrad, false, {dc, "cGrad"}));
      },
      {dc, "steps"}));
  return {hiddenGrad, cellGrad};
}

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &fwdStateInit,
                  const Tensor &fwdIntermediates, const LstmWeights &weights, const Tensor &input, const Tensor &output,
                  const Tensor &outputGrad, const Tensor *lastCellStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext, const OptionFlags &options,
                  poplin::PlanningCache *cache) {
  const LstmState last = {Tensor(), lastCellStateGrad ? *lastCellStateGrad : Tensor()};
  return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad, &last,
                 inputGrad, bwdIntermediates, debugContext, options, cache);
}

LstmWeights lstmWU(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &fwdStateInit,
                   const Tensor &fwdIntermediates, const Tensor &bwdIntermediates, const LstmWeights &weights,
                   const Tensor &input, const Tensor &output, const DebugContext &debugContext,
                   const OptionFlags &flags, poplin::PlanningCache *cache) {
  const DebugContext dc(debugContext, "lstmWU");
  internal::check(dc, params, fwdStateInit, weights, input);
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t steps = params.rnn.maxTimeSteps, in = params.rnn.layerSizes[0], out = params.rnn.layerSizes[1];
  const Tensor outputs =
      params.outputFullSequence ? output : fwdIntermediates.dimShuffle({1, 0, 2, 3})[internal::Hidden];
  const Tensor before = concat(fwdStateInit.output.expand({0}), outputs.slice(0, steps - 1));
  const Tensor left = concat(input, before, 2).flatten(0, 2); // [steps * batch, in + out]
  const Tensor grads = bwdIntermediates.dimShuffle({0, 2, 1, 3}).flatten(2, 4).flatten(0, 2); // [..., 4 * out]
  const Tensor product = poplin::matMul(graph, left.transpose(), grads, prog, options.accumulators, {dc, "weights"},
                                        options.matMul, cache);
  const std::vector<unsigned> order = internal::userOrder(params);
  const Tensor all = inOrder(asUnits(product, units), order);
  const Tensor biases =
      popops::reduce(graph, grads, options.accumulators, {0}, {popops::Operation::ADD}, prog, {dc, "biases"});
  return {all.slice(0, in, 1), all.slice(in, in + out, 1), inOrder(biases.reshape({units, out}), order)};
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates, const LstmWeights &weights, const Tensor &input,
                        const Tensor &output, const Tensor &outputGrad, const LstmState *lastStepStateGrad,
                        Tensor *inputGrad, LstmWeights &weightsGrad, const DebugContext &debugContext,
                        const OptionFlags &options, poplin::PlanningCache *cache) {
  Tensor bwdIntermediates;
  const LstmState grad =
      lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
              lastStepStateGrad, inputGrad, &bwdIntermediates, debugContext, options, cache);
  weightsGrad = lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates, bwdIntermediates, weights, input, output,
                       debugContext, options, cache);
  return grad;
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates, const LstmWeights &weights, const Tensor &input,
                        const Tensor &output, const Tensor &outputGrad, const Tensor *lastCellStateGrad,
                        Tensor *inputGrad, LstmWeights &weightsGrad, const DebugContext &debugContext,
                        const OptionFlags &options, poplin::PlanningCache *cache) {
  const LstmState last = {Tensor(), lastCellStateGrad ? *lastCellStateGrad : Tensor()};
  return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad, &last,
                       inputGrad, weightsGrad, debugContext, options, cache);
}

} // namespace popnn::lstm
