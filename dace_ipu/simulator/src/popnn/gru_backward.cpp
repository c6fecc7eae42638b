#include "gru.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>

namespace popnn::gru {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::Candidate;
using internal::Previous;
using internal::Recurrent;
using internal::Reset;
using internal::units;
using internal::Update;

namespace {

using popops::addInPlace;
using popops::mul;

// What a step hands on: the gradients of its sums, [3 or 4, batch, output size] (the fourth is that of `Recurrent`), of
// its input and of the state before it.
struct Gradients {
  Tensor sums, input, state, attention;
};

class Backward {
public:
  Backward(Graph &graph, const GruParams &params, const GruWeights &weights, const Options &options, bool inputs,
           poplin::PlanningCache *cache, const DebugContext &dc, Sequence &prog)
      : graph_(graph), params_(params), options_(options), inputs_(inputs), cache_(cache), dc_(dc) {
    const internal::Matrices m = internal::matricesOf(params, weights);
    const std::size_t in = params.rnn.layerSizes[0];
    const bool split = !params.resetAfter && !inputs; // rows of the input are not needed
    first_ = transposed(split ? m.first.slice(in, m.first.dim(0)) : m.first, prog);
    second_ = transposed(split ? m.second.slice(in, m.second.dim(0)) : m.second, prog);
  }

  Gradients step(const Tensor &kept, const Tensor &grad, const Tensor &inattention, const Step &step,
                 Sequence &prog) const {
    using namespace popops::expr;
    Tensor update = kept[Update];
    if (inattention.valid())
      update = mul(graph_, update, inattention, prog, {dc_, "attended"});
    const Tensor ofUpdate =
        popops::map(graph_, _1 * (_2 - _3), {grad, kept[Previous], kept[Candidate]}, prog, {dc_, "updateGrad"});
    Gradients result;
    if (inattention.valid())
      result.attention = attend(ofUpdate, kept[Update], inattention, prog);
    const Tensor ofCandidate = gradient(params_.activation, kept[Candidate],
                                        popops::map(graph_, _1 * (1.0f - _2), {grad, update}, prog, {dc_, "c"}), prog);
    result.state = mul(graph_, grad, update, prog, {dc_, "stateGrad"});
    if (params_.resetAfter)
      resetAfter(kept, zeroWhereOff(graph_, step, ofCandidate, prog, dc_),
                 zeroWhereOff(graph_, step, ofUpdate, prog, dc_), result, prog);
    else
      resetBefore(kept, zeroWhereOff(graph_, step, ofCandidate, prog, dc_),
                  zeroWhereOff(graph_, step, ofUpdate, prog, dc_), result, prog);
    return result;
  }

private:
  Graph &graph_;
  const GruParams &params_;
  const Options &options_;
  const bool inputs_;
  poplin::PlanningCache *cache_;
  const DebugContext dc_;
  Tensor first_, second_;

  Tensor transposed(const Tensor &matrix, Sequence &prog) const {
    return poplin::preArrangeMatMulInputRHS(graph_, {params_.rnn.batchSize, matrix.dim(1)}, matrix.transpose(), prog,
                                            {dc_, "weights"}, options_.matMul, cache_);
  }
  Tensor weigh(const Tensor &sums, const Tensor &matrix, Sequence &prog) const {
    return poplin::matMul(graph_, asMatrix(sums), matrix, prog, {dc_, "weigh"}, options_.matMul, cache_);
  }
  Tensor gradient(NonLinearityType type, const Tensor &value, const Tensor &grad, Sequence &prog) const {
    return nonLinearityInputGradient(graph_, type, value, grad, prog, {dc_, "activation"});
  }

  // `ofUpdate` becomes the gradient before the attention; returns that of the attention, [batch].
  Tensor attend(const Tensor &ofUpdate, const Tensor &update, const Tensor &inattention, Sequence &prog) const {
    const Tensor product = mul(graph_, ofUpdate, update, prog, {dc_, "attentionGrad"});
    popops::mulInPlace(graph_, ofUpdate, inattention, prog, {dc_, "updateGrad"});
    const Tensor sum = popops::reduce(graph_, product, {1}, {popops::Operation::ADD}, prog, {dc_, "attentionGrad"});
    popops::negInPlace(graph_, sum, prog, {dc_, "attentionGrad"});
    return sum;
  }

  void resetBefore(const Tensor &kept, const Tensor &ofCandidate, const Tensor &ofUpdate, Gradients &result,
                   Sequence &prog) const {
    const std::size_t in = inputs_ ? params_.rnn.layerSizes[0] : 0;
    const Tensor byCandidate = weigh(ofCandidate.expand({0}), second_, prog); // [batch, in + out]
    const Tensor ofHeld = byCandidate.slice(in, byCandidate.dim(1), 1);
    const Tensor ofReset = mul(graph_, ofHeld, kept[Previous], prog, {dc_, "resetGrad"});
    const Tensor gates = gradient(params_.recurrentActivation, kept.slice(0, 2), stack({ofReset, ofUpdate}), prog);
    const Tensor byGates = weigh(gates, first_, prog);
    popops::mulInPlace(graph_, ofHeld, kept[Reset], prog, {dc_, "heldGrad"});
    addInPlace(graph_, byGates, byCandidate, prog, {dc_, "sum"});
    addInPlace(graph_, result.state, byGates.slice(in, byGates.dim(1), 1), prog, {dc_, "stateGrad"});
    result.input = byGates.slice(0, in, 1);
    result.sums = stack({gates[0], gates[1], ofCandidate});
  }

  void resetAfter(const Tensor &kept, const Tensor &ofCandidate, const Tensor &ofUpdate, Gradients &result,
                  Sequence &prog) const {
    const Tensor ofReset = mul(graph_, ofCandidate, kept[Recurrent], prog, {dc_, "resetGrad"});
    const Tensor ofRecurrent = mul(graph_, ofCandidate, kept[Reset], prog, {dc_, "recurrentGrad"});
    const Tensor gates = gradient(params_.recurrentActivation, kept.slice(0, 2), stack({ofReset, ofUpdate}), prog);
    result.sums = stack({gates[0], gates[1], ofCandidate, ofRecurrent});
    if (inputs_)
      result.input = weigh(result.sums.slice(0, 3), first_, prog);
    const Tensor byOutput = weigh(stack({gates[0], gates[1], ofRecurrent}), second_, prog);
    addInPlace(graph_, result.state, byOutput, prog, {dc_, "stateGrad"});
  }
};

void checkGradients(const DebugContext &dc, const GruParams &params, const Tensor &kept, const Tensor &outputGrad) {
  const std::size_t batch = params.rnn.batchSize, out = params.rnn.layerSizes[1], steps = params.rnn.maxTimeSteps;
  requireGradient(dc, params.activation);
  requireGradient(dc, params.recurrentActivation);
  require(dc, "the tensor of intermediates", kept, params.rnn.dataType, {steps, internal::numKept(params), batch, out});
  require(dc, "the gradient of the output", outputGrad, params.rnn.dataType,
          params.outputFullSequence ? std::vector<std::size_t>{steps, batch, out}
                                    : std::vector<std::size_t>{batch, out});
}

// The tensors that the backward pass leaves behind, where they are wanted.
struct Results {
  Tensor *input, *sums, *attention;

  void create(Graph &graph, const GruParams &params, const Tensor &like, const DebugContext &dc) const {
    const std::size_t numSums = params.resetAfter ? units + 1 : units;
    if (input)
      *input = rnn::createInputTensor(graph, params.rnn, 1, {dc, "inputGrad"});
    if (sums)
      *sums = createSteps(graph, stack(std::vector<Tensor>(numSums, like)), params.rnn.maxTimeSteps,
                          {dc, "bwdIntermediates"});
    if (attention)
      *attention = createAttention(graph, params, {dc, "attentionGrad"});
  }
  void keep(Graph &graph, const Gradients &grads, const Step &step, Sequence &prog, const DebugContext &dc) const {
    if (input)
      put(graph, *input, grads.input, step, prog, {dc, "inputGrad"});
    if (sums)
      put(graph, *sums, grads.sums, step, prog, {dc, "keep"});
    if (!attention)
      return;
    const Tensor own = zeroWhereOff(graph, step, grads.attention.expand({1}), prog, {dc, "off"});
    put(graph, attention->transpose(), own.flatten(), step, prog, {dc, "attentionGrad"});
  }
};

Tensor backwardPass(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &init, const Tensor &kept,
                    const GruWeights &weights, const Tensor &input, const Tensor &outputGrad, const Results &results,
                    const Tensor &attention, const DebugContext &dc, const OptionFlags &flags,
                    poplin::PlanningCache *cache) {
  internal::check(dc, params, init, weights, input, attention);
  checkGradients(dc, params, kept, outputGrad);
  const Options options = parseOptions(flags, params.rnn.dataType);
  const bool isFull = params.outputFullSequence;
  const Tensor grad = copyOrZeros(graph, isFull ? Tensor() : outputGrad, init, prog, {dc, "hGrad"});
  results.create(graph, params, grad, dc);
  const Backward backward(graph, params, weights, options, results.input != nullptr, cache, dc, prog);
  prog.add(forEachStep(
      graph, params.rnn, true,
      [&](const Step &step, Sequence &body) {
        if (isFull) {
          const Tensor own = take(graph, outputGrad, step, body, {dc, "outputGrad"});
          addInPlace(graph, grad, zeroWhereOff(graph, step, own, body, {dc, "off"}), body, {dc, "addOutputGrad"});
        }
        const Tensor rest = internal::inattention(graph, attention, step, body, dc);
        const Gradients grads = backward.step(take(graph, kept, step, body, {dc, "kept"}), grad, rest, step, body);
        results.keep(graph, grads, step, body, dc);
        body.add(Copy(whereOn(graph, step, grads.state, grad, body, {dc, "hold"}), grad, false, {dc, "hGrad"}));
      },
      {dc, "steps"}));
  return grad;
}

// [steps, values, batch, n] as [steps * batch, values * n].
Tensor asRows(const Tensor &t) { return t.dimShuffle({0, 2, 1, 3}).flatten(2, 4).flatten(0, 2); }

GruWeights weightUpdate(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &init, const Tensor &kept,
                        const Tensor &sums, const GruWeights &weights, const Tensor &input, const DebugContext &dc,
                        const OptionFlags &flags, poplin::PlanningCache *cache) {
  internal::check(dc, params, init, weights, input, {});
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t out = params.rnn.layerSizes[1];
  const auto product = [&](const Tensor &left, const Tensor &right, const char *name) {
    const Tensor m = poplin::matMul(graph, left.flatten(0, 2).transpose(), asRows(right), prog, options.accumulators,
                                    {dc, name}, options.matMul, cache);
    return asUnits(m, right.dim(1));
  };
  const Tensor values = kept.dimShuffle({1, 0, 2, 3}); // [values, steps, batch, out]
  const Tensor all = sums.slice(0, 3, 1);
  const Tensor biases =
      popops::reduce(graph, asRows(sums), options.accumulators, {0}, {popops::Operation::ADD}, prog, {dc, "biases"})
          .reshape({sums.dim(1), out});
  const std::vector<unsigned> order = internal::userOrder(params);
  const Tensor ofInput = product(input, all, "inputWeights");
  if (params.resetAfter) {
    const Tensor recurrent = concat(sums.slice(0, 2, 1), sums.slice(3, 4, 1), 1);
    const Tensor ofOutput = product(values[Previous], recurrent, "outputWeights");
    const Tensor second = concat(biases.slice(0, 2), biases.slice(3, 4));
    const Tensor both = concat(biases.slice(0, 3).expand({1}), second.expand({1}), 1);
    const Tensor apart = poputil::duplicate(graph, both, prog, {dc, "biases"}); // gates have the same twice
    return {inOrder(ofInput, order), inOrder(ofOutput, order), inOrder(apart, order)};
  }
  const Tensor held = mul(graph, values[Reset], values[Previous], prog, {dc, "held"});
  const Tensor ofOutput = concat(product(values[Previous], all.slice(0, 2, 1), "gateWeights"),
                                 product(held, all.slice(2, 3, 1), "candidateWeights"));
  return {inOrder(ofInput, order), inOrder(ofOutput, order), inOrder(biases, order)};
}

} // namespace

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
              const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input, const Tensor &,
              const Tensor &outputGrad, Tensor *inputGrad, Tensor *bwdIntermediates, const DebugContext &dc,
              const OptionFlags &options, poplin::PlanningCache *cache) {
  return backwardPass(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, outputGrad,
                      {inputGrad, bwdIntermediates, nullptr}, {}, {dc, "gruBwd"}, options, cache);
}

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
              const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
              const Tensor &realTimeSteps, const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &dc, const OptionFlags &options,
              poplin::PlanningCache *cache) {
  return gruBwd(graph, internal::withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                input, output, outputGrad, inputGrad, bwdIntermediates, dc, options, cache);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input, const Tensor &,
                const Tensor &outputGrad, Tensor *inputGrad, Tensor *bwdIntermediates, const Tensor &attentions,
                Tensor *attentionsGrad, const DebugContext &dc, const OptionFlags &options,
                poplin::PlanningCache *cache) {
  return backwardPass(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, outputGrad,
                      {inputGrad, bwdIntermediates, attentionsGrad}, attentions, {dc, "auGruBwd"}, options, cache);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
                const Tensor &realTimeSteps, const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions, Tensor *attentionsGrad, const DebugContext &dc,
                const OptionFlags &options, poplin::PlanningCache *cache) {
  return auGruBwd(graph, internal::withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                  input, output, outputGrad, inputGrad, bwdIntermediates, attentions, attentionsGrad, dc, options,
                  cache);
}

GruWeights gruWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                 const Tensor &fwdIntermediates, const Tensor &bwdIntermediates, const GruWeights &weights,
                 const Tensor &input, const Tensor &, const DebugContext &dc, const OptionFlags &options,
                 poplin::PlanningCache *cache) {
  return weightUpdate(graph, params, prog, fwdOutputInit, fwdIntermediates, bwdIntermediates, weights, input,
                      {dc, "gruWU"}, options, cache);
}

GruWeights auGruWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                   const Tensor &fwdIntermediates, const Tensor &bwdIntermediates, const GruWeights &weights,
                   const Tensor &input, const Tensor &, const DebugContext &dc, const OptionFlags &options,
                   poplin::PlanningCache *cache) {
  return weightUpdate(graph, params, prog, fwdOutputInit, fwdIntermediates, bwdIntermediates, weights, input,
                      {dc, "auGruWU"}, options, cache);
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                    const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
                    const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad, GruWeights &weightsGrad,
                    const DebugContext &dc, const OptionFlags &options, poplin::PlanningCache *cache) {
  Tensor sums;
  const Tensor grad = gruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad,
                             inputGrad, &sums, dc, options, cache);
  weightsGrad =
      gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, sums, weights, input, output, dc, options, cache);
  return grad;
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                    const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
                    const Tensor &realTimeSteps, const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                    GruWeights &weightsGrad, const DebugContext &dc, const OptionFlags &options,
                    poplin::PlanningCache *cache) {
  return gruBwdWithWU(graph, internal::withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                      input, output, outputGrad, inputGrad, weightsGrad, dc, options, cache);
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
                      const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad, GruWeights &weightsGrad,
                      const Tensor &attentions, Tensor *attentionsGrad, const DebugContext &dc,
                      const OptionFlags &options, poplin::PlanningCache *cache) {
  Tensor sums;
  const Tensor grad = auGruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad,
                               inputGrad, &sums, attentions, attentionsGrad, dc, options, cache);
  weightsGrad =
      auGruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, sums, weights, input, output, dc, options, cache);
  return grad;
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights, const Tensor &input,
                      const Tensor &realTimeSteps, const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                      GruWeights &weightsGrad, const Tensor &attentions, Tensor *attentionsGrad, const DebugContext &dc,
                      const OptionFlags &options, poplin::PlanningCache *cache) {
  return auGruBwdWithWU(graph, internal::withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                        weights, input, output, outputGrad, inputGrad, weightsGrad, attentions, attentionsGrad, dc,
                        options, cache);
}

} // namespace popnn::gru
