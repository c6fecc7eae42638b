// Recurrent layers against the same formulas on the host; gradients against differences of these.
#include "machine.hpp"

#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <poplin/codelets.hpp>

#include <functional>
#include <map>

using namespace poplar;

namespace {

constexpr std::size_t T = 3, B = 2, I = 3, O = 4;

using Values = std::map<std::string, std::vector<double>>;
using Shapes = std::map<std::string, std::vector<std::size_t>>;

std::size_t sizeOf(const std::vector<std::size_t> &shape) {
  std::size_t n = 1;
  for (const std::size_t d : shape)
    n *= d;
  return n;
}

Values someValues(const Shapes &shapes) {
  Values values;
  unsigned seed = 1;
  for (const auto &[name, shape] : shapes)
    for (std::size_t i = 0; i < sizeOf(shape); ++i) {
      seed = seed * 1103515245u + 12345u;
      values[name].push_back(static_cast<double>(seed >> 16) / 65536 - 0.5);
    }
  return values;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Unit `u` of row b: x W + h U + bias, with weights [units, inputs, O].
double weighed(const Values &v, const char *weights, std::size_t u, std::size_t o, const double *in, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += in[i] * v.at(weights)[(u * n + i) * O + o];
  return sum;
}

using Lengths = std::vector<std::size_t>;

// [T, B, O] of outputs.
std::vector<double> lstmOnHost(const Values &v, const Lengths &lengths) {
  std::vector<double> h = v.at("h"), c = v.at("c"), out(T * B * O);
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t b = 0; b < B; ++b) {
      const std::vector<double> before(&h[b * O], &h[b * O] + O);
      for (std::size_t o = 0; o < O && t < lengths[b]; ++o) {
        double u[4];
        for (std::size_t k = 0; k < 4; ++k)
          u[k] = weighed(v, "inputWeights", k, o, &v.at("x")[(t * B + b) * I], I) +
                 weighed(v, "outputWeights", k, o, before.data(), O) + v.at("biases")[k * O + o];
        c[b * O + o] = sigmoid(u[0]) * c[b * O + o] + sigmoid(u[1]) * std::tanh(u[2]);
        h[b * O + o] = sigmoid(u[3]) * std::tanh(c[b * O + o]);
        out[(t * B + b) * O + o] = h[b * O + o];
      }
    }
  return out;
}

std::vector<double> gruOnHost(const Values &v, const Lengths &lengths, bool resetAfter, bool attended) {
  std::vector<double> h = v.at("h"), out(T * B * O);
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t b = 0; b < B && t < T; ++b) {
      if (t >= lengths[b])
        continue;
      const double *x = &v.at("x")[(t * B + b) * I];
      std::vector<double> before(&h[b * O], &h[b * O] + O), r(O), u(O), held(O);
      const auto bias = [&](std::size_t k, std::size_t which, std::size_t o) {
        return resetAfter ? v.at("biases")[(k * 2 + which) * O + o] : which == 0 ? v.at("biases")[k * O + o] : 0;
      };
      const auto sum = [&](std::size_t k, std::size_t o) {
        return weighed(v, "inputWeights", k, o, x, I) + weighed(v, "outputWeights", k, o, before.data(), O) +
               bias(k, 0, o) + bias(k, 1, o);
      };
      for (std::size_t o = 0; o < O; ++o) {
        r[o] = sigmoid(sum(0, o));
        u[o] = sigmoid(sum(1, o)) * (attended ? 1 - v.at("attention")[b * T + t] : 1);
        held[o] = r[o] * before[o];
      }
      for (std::size_t o = 0; o < O; ++o) {
        const double recurrent = resetAfter
                                     ? r[o] * (weighed(v, "outputWeights", 2, o, before.data(), O) + bias(2, 1, o))
                                     : weighed(v, "outputWeights", 2, o, held.data(), O);
        const double c = std::tanh(weighed(v, "inputWeights", 2, o, x, I) + bias(2, 0, o) + recurrent);
        h[b * O + o] = u[o] * before[o] + (1 - u[o]) * c;
        out[(t * B + b) * O + o] = h[b * O + o];
      }
    }
  return out;
}

using OnHost = std::function<std::vector<double>(const Values &)>;

// What the outputs weighed with "outputGrad" change by when an element of `name` does.
std::vector<double> differences(const OnHost &layer, Values v, const std::string &name, const std::vector<double> &w) {
  const auto loss = [&] {
    const std::vector<double> out = layer(v);
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i)
      sum += w[i] * out[out.size() - w.size() + i];
    return sum;
  };
  std::vector<double> result;
  for (double &x : v[name]) {
    const double step = 1e-5, middle = x;
    x = middle + step;
    const double high = loss();
    x = middle - step;
    result.push_back((high - loss()) / (2 * step));
    x = middle;
  }
  return result;
}

std::vector<float> asFloats(const std::vector<double> &v) { return {v.begin(), v.end()}; }

// A layer's tensors by name: written before a run; "d" and a name, which are read after it.
struct Bench {
  Machine f{4};
  Values values;

  explicit Bench(const Shapes &shapes) : values(someValues(shapes)) { poplin::addCodelets(f.graph); }
  void expose(const std::string &name, const Tensor &t) { f.expose(name, t); }
  void check(const OnHost &layer, const std::vector<float> &wantedOutput, std::size_t outputs,
             const std::vector<std::string> &gradients, const Lengths &lengths) {
    Engine e = f.engine();
    for (const auto &[name, v] : values)
      write(e, name, asFloats(v));
    if (lengths.size() == B)
      write(e, "lengths", std::vector<unsigned>(lengths.begin(), lengths.end()));
    e.run();
    CHECK(near(readFloats(e, "out", outputs), wantedOutput, 1e-5f));
    for (const std::string &name : gradients) {
      const std::vector<double> want = differences(layer, values, name, values.at("outputGrad"));
      CHECK(near(readFloats(e, "d" + name, want.size()), asFloats(want), 1e-5f));
    }
  }
};

std::vector<float> lastOf(const std::vector<double> &all, bool isFull) {
  return {isFull ? all.begin() : all.end() - static_cast<long>(B * O), all.end()};
}

struct Case {
  bool isFull = true;
  bool varies = false;
  OptionFlags options;
  bool resetAfter = false;
  bool attended = false;
};

void checkLstm(const Case &c) {
  Bench b({{"x", {T, B, I}},
           {"h", {B, O}},
           {"c", {B, O}},
           {"inputWeights", {4, I, O}},
           {"outputWeights", {4, O, O}},
           {"biases", {4, O}},
           {"outputGrad", {c.isFull ? T : 1, B, O}}});
  Graph &graph = b.f.graph;
  const Lengths lengths = c.varies ? Lengths{1, T} : Lengths{T, T};
  popnn::lstm::LstmParams params(FLOAT, B, T, {I, O});
  if (c.varies)
    params = popnn::lstm::LstmParams(FLOAT, B, T, b.f.variable("lengths", {B}, 1, UNSIGNED_INT), {I, O});
  params.outputFullSequence = c.isFull;
  const Tensor x = popnn::lstm::createInput(graph, params, "x", c.options);
  const popnn::lstm::LstmState init = popnn::lstm::createInitialState(graph, params, "init", c.options);
  const popnn::lstm::LstmWeights w = popnn::lstm::createWeights(graph, params, "w", c.options);
  Tensor kept, inputGrad;
  const auto out = popnn::lstm::lstmFwd(graph, params, init, x, w, &kept, b.f.prog, "fwd", c.options);
  const Tensor outputGrad = graph.clone(out.first);
  popnn::lstm::LstmWeights grads;
  const popnn::lstm::LstmState *none = nullptr;
  const popnn::lstm::LstmState state = popnn::lstm::lstmBwdWithWU(
      graph, params, b.f.prog, init, kept, w, x, out.first, outputGrad, none, &inputGrad, grads, "bwd", c.options);
  const std::vector<std::pair<std::string, Tensor>> tensors = {{"x", x},
                                                               {"h", init.output},
                                                               {"c", init.cellState},
                                                               {"out", out.first},
                                                               {"outputGrad", outputGrad},
                                                               {"inputWeights", w.inputWeights},
                                                               {"dx", inputGrad},
                                                               {"outputWeights", w.outputWeights},
                                                               {"biases", w.biases},
                                                               {"dh", state.output},
                                                               {"dc", state.cellState},
                                                               {"dinputWeights", grads.inputWeights},
                                                               {"doutputWeights", grads.outputWeights},
                                                               {"dbiases", grads.biases}};
  for (const auto &t : tensors)
    b.expose(t.first, t.second);
  const OnHost layer = [&](const Values &v) { return lstmOnHost(v, lengths); };
  b.check(layer, lastOf(layer(b.values), c.isFull), c.isFull ? T * B * O : B * O,
          {"x", "h", "c", "inputWeights", "outputWeights", "biases"}, c.varies ? lengths : Lengths());
}

void checkGru(const Case &c) {
  Bench b({{"x", {T, B, I}},
           {"h", {B, O}},
           {"inputWeights", {3, I, O}},
           {"outputWeights", {3, O, O}},
           {"biases", {3, c.resetAfter ? std::size_t(2) : 1, O}},
           {"attention", {B, T}},
           {"outputGrad", {c.isFull ? T : 1, B, O}}});
  Graph &graph = b.f.graph;
  program::Sequence &prog = b.f.prog;
  const Lengths lengths = c.varies ? Lengths{T, 2} : Lengths{T, T};
  popnn::gru::GruParams params(FLOAT, B, T, {I, O});
  params.outputFullSequence = c.isFull;
  params.resetAfter = c.resetAfter;
  const Tensor steps = c.varies ? b.f.variable("lengths", {B}, 1, UNSIGNED_INT) : Tensor();
  const Tensor x = popnn::gru::createInput(graph, params, "x"),
               attention = popnn::gru::createAttention(graph, params, "a");
  const Tensor init = popnn::gru::createInitialState(graph, params, "init", {}, nullptr);
  const popnn::gru::GruWeights w = popnn::gru::createWeights(graph, params, "w");
  Tensor kept, inputGrad, attentionGrad, out;
  if (c.varies)
    out = popnn::gru::gruFwd(graph, params, init, x, steps, w, &kept, prog, "fwd");
  else if (c.attended)
    out = popnn::gru::auGruFwd(graph, params, init, x, w, &kept, attention, prog, "fwd");
  else
    out = popnn::gru::gruFwd(graph, params, init, x, w, &kept, prog, "fwd");
  const Tensor outputGrad = graph.clone(out);
  popnn::gru::GruWeights grads;
  Tensor state;
  if (c.varies)
    state = popnn::gru::gruBwdWithWU(graph, params, prog, init, kept, w, x, steps, out, outputGrad, &inputGrad, grads,
                                     "bwd", {}, nullptr);
  else if (c.attended)
    state = popnn::gru::auGruBwdWithWU(graph, params, prog, init, kept, w, x, out, outputGrad, &inputGrad, grads,
                                       attention, &attentionGrad, "bwd", {}, nullptr);
  else
    state = popnn::gru::gruBwdWithWU(graph, params, prog, init, kept, w, x, out, outputGrad, &inputGrad, grads, "bwd",
                                     {}, nullptr);
  const std::vector<std::pair<std::string, Tensor>> tensors = {{"x", x},
                                                               {"h", init},
                                                               {"out", out},
                                                               {"outputGrad", outputGrad},
                                                               {"inputWeights", w.inputWeights},
                                                               {"dx", inputGrad},
                                                               {"outputWeights", w.outputWeights},
                                                               {"biases", w.biases},
                                                               {"dh", state},
                                                               {"dinputWeights", grads.inputWeights},
                                                               {"doutputWeights", grads.outputWeights},
                                                               {"dbiases", grads.biases},
                                                               {"attention", attention}};
  for (const auto &t : tensors)
    b.expose(t.first, t.second);
  std::vector<std::string> gradients = {"x", "h", "inputWeights", "outputWeights", "biases"};
  if (c.attended) {
    b.expose("dattention", attentionGrad);
    gradients.push_back("attention");
  }
  const OnHost layer = [&](const Values &v) { return gruOnHost(v, lengths, c.resetAfter, c.attended); };
  b.check(layer, lastOf(layer(b.values), c.isFull), c.isFull ? T * B * O : B * O, gradients,
          c.varies ? lengths : Lengths());
}

} // namespace

TEST(lstm_and_its_gradients) {
  checkLstm({});
  checkLstm({false, false, {{"preCalcWeights", "true"}}});
}

TEST(sequences_of_an_lstm_end_at_different_steps) { checkLstm({true, true, {}}); }

TEST(gru_and_its_gradients) {
  checkGru({});
  checkGru({false, false, {}, true, false});
}

TEST(gru_with_attention_and_varying_lengths) {
  checkGru({true, false, {}, false, true});
  checkGru({true, true, {}, true, false});
}

TEST(units_in_another_order) {
  Machine f(4);
  poplin::addCodelets(f.graph);
  popnn::lstm::LstmParams params(HALF, 2, 2, {3, 4});
  const auto state = popnn::lstm::createInitialState(f.graph, params, "state");
  popnn::lstm::zeroInitialState(f.graph, state, f.prog);
  const Tensor x = popnn::lstm::createInput(f.graph, params, "x");
  f.expose("x", x);
  const auto w = popnn::lstm::createWeights(f.graph, params, "w");
  const auto out = popnn::lstm::lstmFwd(f.graph, params, state, x, w, nullptr, f.prog);
  params.cellOrder = {BASIC_LSTM_CELL_OUTPUT_GATE, BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_FORGET_GATE,
                      BASIC_LSTM_CELL_INPUT_GATE};
  const auto reordered = [](const Tensor &t) {
    return concat({t[3].expand({0}), t[2].expand({0}), t[0].expand({0}), t[1].expand({0})});
  };
  const popnn::lstm::LstmWeights other = {reordered(w.inputWeights), reordered(w.outputWeights), reordered(w.biases)};
  const auto same = popnn::lstm::lstmFwd(f.graph, params, state, x, other, nullptr, f.prog);
  f.expose("out", out.first);
  f.expose("same", same.first);
  f.expose("in", w.inputWeights);
  f.expose("recurrent", w.outputWeights);
  f.expose("biases", w.biases);
  Engine e = f.engine();
  f.put(e, "x", HALF, values(12));
  f.put(e, "in", HALF, values(48));
  f.put(e, "recurrent", HALF, values(64));
  f.put(e, "biases", HALF, values(16));
  e.run();
  const std::vector<float> got = f.get(e, "out", HALF, 16);
  CHECK(got == f.get(e, "same", HALF, 16));
  CHECK(got[0] != got[1]);
}

TEST(counts_of_operations) { // by hand from the products: 2 * 4 units * (3 + 4) * 4 outputs * 2 rows * 5 steps, ...
  const popnn::lstm::LstmParams lstm(FLOAT, 2, 5, {3, 4});
  CHECK_EQ(popnn::lstm::getBasicLstmCellFwdFlops(lstm), 2u * 4 * 7 * 4 * 10 + 4 * 40);
  CHECK_EQ(popnn::lstm::getBasicLstmCellWuFlops(lstm), 2u * 4 * 7 * 4 * 10 + 2 * 4 * 40);
  const popnn::gru::GruParams gru(FLOAT, 2, 5, {3, 4});
  CHECK_EQ(popnn::gru::getBasicGruCellFwdFlops(gru), 2u * 3 * 7 * 4 * 10 + 5 * 40);
}

TEST(misuse_of_recurrent_layers) {
  Machine f;
  poplin::addCodelets(f.graph);
  CHECK_THROWS(popnn::rnn::RnnParams(FLOAT, 1, 1, {3}), poputil::poplibs_error, "layerSizes has 1");
  CHECK_THROWS(popnn::rnn::RnnParams(INT, 1, 1, {3, 4}), poputil::poplibs_error, "not supported yet");
  CHECK_THROWS(popnn::rnn::RnnParams(FLOAT, 2, 1, f.variable("t", {3}, 0, UNSIGNED_INT), {3, 4}),
               poputil::poplibs_error, "{1} or {2}");
  popnn::lstm::LstmParams params(FLOAT, 2, 2, {3, 4});
  const auto state = popnn::lstm::createInitialState(f.graph, params, "state");
  const auto w = popnn::lstm::createWeights(f.graph, params, "w");
  const Tensor x = f.variable("x", {2, 2, 4});
  CHECK_THROWS(popnn::lstm::lstmFwd(f.graph, params, state, x, w, nullptr, f.prog, "layer"), poputil::poplibs_error,
               "'layer/lstmFwd': the input is float {2,2,4}, not float {2,2,3}");
  CHECK_THROWS(popnn::lstm::createInput(f.graph, params, "x", {{"nonsense", "1"}}), poplar::invalid_option, "nonsense");
  params.activation = popnn::NonLinearityType::GELU;
  Tensor kept, none;
  const Tensor right = popnn::lstm::createInput(f.graph, params, "x");
  const auto out = popnn::lstm::lstmFwd(f.graph, params, state, right, w, &kept, f.prog);
  const popnn::lstm::LstmState *last = nullptr;
  CHECK_THROWS(popnn::lstm::lstmBwd(f.graph, params, f.prog, state, kept, w, right, out.first, out.first, last, nullptr,
                                    nullptr),
               poputil::poplibs_error, "not supported yet");
}
