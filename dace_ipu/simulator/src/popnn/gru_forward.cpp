#include "gru.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>

namespace popnn::gru {

using namespace poplar;
using namespace poplar::program;
using namespace rnn::internal;
using internal::units;

namespace {

// The units of a step, [batch, output size] each; `recurrent` with resetAfter only.
struct Units {
  Tensor reset, update, candidate, recurrent;
};

class Forward {
public:
  Forward(Graph &graph, const GruParams &params, const GruWeights &weights, const Options &options,
          poplin::PlanningCache *cache, const DebugContext &dc, Sequence &prog)
      : graph_(graph), params_(params), options_(options), cache_(cache), dc_(dc) {
    const internal::Matrices m = internal::matricesOf(params, weights);
    matrices_ = {inLayout(m.first, prog), inLayout(m.second, prog)};
    if (weights.biases.valid())
      biases_ = inOrder(weights.biases, inverse(internal::userOrder(params)));
  }

  Units unitsOf(const Tensor &x, const Tensor &hidden, Sequence &prog) const {
    return params_.resetAfter ? resetAfter(x, hidden, prog) : resetBefore(x, hidden, prog);
  }

private:
  Graph &graph_;
  const GruParams &params_;
  const Options &options_;
  poplin::PlanningCache *cache_;
  const DebugContext dc_;
  internal::Matrices matrices_;
  Tensor biases_; // [3, output size] or [3, 2, output size]

  Tensor inLayout(const Tensor &matrix, Sequence &prog) const {
    return poplin::preArrangeMatMulInputRHS(graph_, {params_.rnn.batchSize, matrix.dim(0)}, matrix, prog,
                                            {dc_, "weights"}, options_.matMul, cache_);
  }

  // left * matrix + biases, [units, batch, output size].
  Tensor sums(const Tensor &left, const Tensor &matrix, const Tensor &biases, Sequence &prog) const {
    const Tensor product = poplin::matMul(graph_, left, matrix, prog, {dc_, "weigh"}, options_.matMul, cache_);
    if (biases.valid())
      popops::addInPlace(graph_, product, biases.flatten(), prog, {dc_, "addBiases"});
    return asUnits(product, product.dim(1) / params_.rnn.layerSizes[1]);
  }

  Units resetBefore(const Tensor &x, const Tensor &hidden, Sequence &prog) const {
    const bool biased = biases_.valid();
    const Tensor gates = sums(concat(x, hidden, 1), matrices_.first, biased ? biases_.slice(0, 2) : Tensor(), prog);
    nonLinearityInPlace(graph_, params_.recurrentActivation, gates, prog, {dc_, "gates"});
    const Tensor held = popops::mul(graph_, gates[0], hidden, prog, {dc_, "reset"});
    const Tensor candidate =
        sums(concat(x, held, 1), matrices_.second, biased ? biases_.slice(2, 3) : Tensor(), prog)[0];
    nonLinearityInPlace(graph_, params_.activation, candidate, prog, {dc_, "candidate"});
    return {gates[0], gates[1], candidate, {}};
  }

  Units resetAfter(const Tensor &x, const Tensor &hidden, Sequence &prog) const {
    const Tensor ofInput = biases_.valid() ? biases_.slice(0, 1, 1) : Tensor();
    const Tensor ofOutput = biases_.valid() ? biases_.slice(1, 2, 1) : Tensor();
    const Tensor fromInput = sums(x, matrices_.first, ofInput, prog);
    const Tensor fromOutput = sums(hidden, matrices_.second, ofOutput, prog);
    const Tensor gates = popops::add(graph_, fromInput.slice(0, 2), fromOutput.slice(0, 2), prog, {dc_, "gates"});
    nonLinearityInPlace(graph_, params_.recurrentActivation, gates, prog, {dc_, "gates"});
    using namespace popops::expr;
    const Tensor recurrent = fromOutput[BASIC_GRU_CELL_CANDIDATE];
    const Tensor candidate = popops::map(
        graph_, _1 + _2 * _3, {fromInput[BASIC_GRU_CELL_CANDIDATE], gates[0], recurrent}, prog, {dc_, "candidate"});
    nonLinearityInPlace(graph_, params_.activation, candidate, prog, {dc_, "candidate"});
    return {gates[0], gates[1], candidate, recurrent};
  }
};

Tensor stateAfter(Graph &graph, const Units &u, const Tensor &hidden, const Tensor &inattention, Sequence &prog,
                  const DebugContext &dc) {
  using namespace popops::expr;
  if (!inattention.valid())
    return popops::map(graph, _3 + _1 * (_2 - _3), {u.update, hidden, u.candidate}, prog, dc);
  return popops::map(graph, _3 + _1 * _4 * (_2 - _3), {u.update, hidden, u.candidate, inattention}, prog, dc);
}

Tensor forwardPass(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
                   const GruWeights &weights, Tensor *intermediates, const Tensor &attention, Sequence &fwdProg,
                   const DebugContext &dc, const OptionFlags &flags, poplin::PlanningCache *cache) {
  internal::check(dc, params, stateInit, weights, in, attention);
  const Options options = parseOptions(flags, params.rnn.dataType);
  const std::size_t steps = params.rnn.maxTimeSteps, kept = internal::numKept(params);
  const Tensor hidden = poputil::duplicate(graph, stateInit, fwdProg, {dc, "h"});
  const Tensor outputs = params.outputFullSequence ? createSteps(graph, hidden, steps, {dc, "outputs"}) : hidden;
  if (intermediates)
    *intermediates = createSteps(graph, stack(std::vector<Tensor>(kept, hidden)), steps, {dc, "intermediates"});
  const Forward forward(graph, params, weights, options, cache, dc, fwdProg);
  fwdProg.add(forEachStep(
      graph, params.rnn, false,
      [&](const Step &step, Sequence &prog) {
        const Units u = forward.unitsOf(take(graph, in, step, prog, {dc, "x"}), hidden, prog);
        const Tensor rest = internal::inattention(graph, attention, step, prog, dc);
        const Tensor newHidden = stateAfter(graph, u, hidden, rest, prog, {dc, "output"});
        if (intermediates) {
          std::vector<Tensor> values = {u.reset, u.update, u.candidate, hidden};
          if (params.resetAfter)
            values.push_back(u.recurrent);
          if (!params.outputFullSequence)
            values.push_back(newHidden);
          put(graph, *intermediates, stack(values), step, prog, {dc, "keep"});
        }
        if (params.outputFullSequence)
          put(graph, outputs, zeroWhereOff(graph, step, newHidden, prog, {dc, "off"}), step, prog, {dc, "put"});
        prog.add(Copy(whereOn(graph, step, newHidden, hidden, prog, {dc, "hold"}), hidden, false, {dc, "h"}));
      },
      {dc, "steps"}));
  return outputs;
}

} // namespace

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
              const GruWeights &weights, Tensor *intermediates, Sequence &fwdProg, const DebugContext &dc,
              const OptionFlags &options, poplin::PlanningCache *cache) {
  return forwardPass(graph, params, stateInit, in, weights, intermediates, {}, fwdProg, {dc, "gruFwd"}, options, cache);
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
              const Tensor &realTimeSteps, const GruWeights &weights, Tensor *intermediates, Sequence &fwdProg,
              const DebugContext &dc, const OptionFlags &options, poplin::PlanningCache *cache) {
  return gruFwd(graph, internal::withSteps(params, realTimeSteps), stateInit, in, weights, intermediates, fwdProg, dc,
                options, cache);
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
                const GruWeights &weights, Tensor *intermediates, const Tensor &attScores, Sequence &fwdProg,
                const DebugContext &dc, const OptionFlags &options, poplin::PlanningCache *cache) {
  return forwardPass(graph, params, stateInit, in, weights, intermediates, attScores, fwdProg, {dc, "auGruFwd"},
                     options, cache);
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
                const Tensor &realTimeSteps, const GruWeights &weights, Tensor *intermediates, const Tensor &attScores,
                Sequence &fwdProg, const DebugContext &dc, const OptionFlags &options, poplin::PlanningCache *cache) {
  return auGruFwd(graph, internal::withSteps(params, realTimeSteps), stateInit, in, weights, intermediates, attScores,
                  fwdProg, dc, options, cache);
}

} // namespace popnn::gru
