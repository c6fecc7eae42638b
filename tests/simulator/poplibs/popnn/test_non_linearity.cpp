// popnn::nonLinearity, its gradients and softmax, against the definitions and difference quotients in double.
#include "machine.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>

#include <functional>
#include <map>

using namespace poplar;
using popnn::NonLinearityType;

namespace {

const std::map<NonLinearityType, std::function<double(double)>> functions = {
    {NonLinearityType::SIGMOID, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {NonLinearityType::HARD_SIGMOID, [](double x) { return std::min(1., std::max(0., 0.2 * x + 0.5)); }},
    {NonLinearityType::RELU, [](double x) { return std::max(x, 0.); }},
    {NonLinearityType::TANH, [](double x) { return std::tanh(x); }},
    {NonLinearityType::GELU,
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
    {NonLinearityType::GELU_ERF, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.))); }},
    {NonLinearityType::SWISH, [](double x) { return x / (1 + std::exp(-x)); }}};

std::vector<float> softmaxOf(const std::vector<float> &x, std::size_t columns) {
  std::vector<float> y(x.size());
  for (std::size_t r = 0; r < x.size(); r += columns) {
    double sum = 0;
    for (std::size_t i = r; i < r + columns; ++i)
      sum += std::exp(double(x[i]));
    for (std::size_t i = r; i < r + columns; ++i)
      y[i] = static_cast<float>(std::exp(double(x[i])) / sum);
  }
  return y;
}

} // namespace

TEST(non_linearities_and_gradients) {
  for (const Type &type : {FLOAT, HALF})
    for (const auto &function : functions) {
      Machine f;
      const Tensor x = f.spread("x", {7, 9}, 4, type), g = f.spread("g", {7, 9}, 3, type);
      const Tensor y = popnn::nonLinearity(f.graph, function.first, x, f.prog);
      const bool fromInput = function.first == NonLinearityType::GELU || function.first == NonLinearityType::GELU_ERF ||
                             function.first == NonLinearityType::SWISH;
      f.expose("y", y);
      f.expose("dx", popnn::nonLinearityInputGradient(f.graph, function.first, fromInput ? x : y, g, f.prog));
      popnn::nonLinearityInPlace(f.graph, function.first, x, f.prog);
      Engine e = f.engine();
      std::vector<float> xs = values(63), gs = values(63, 5), want(63), slope(63);
      for (float &v : xs)
        v = std::fabs(v) < 0.05f || std::fabs(std::fabs(v) - 2.5f) < 0.05f ? v + 0.25f : v; // beside the kinks
      f.put(e, "x", type, xs);
      f.put(e, "g", type, gs);
      e.run();
      for (std::size_t i = 0; i < 63; ++i) {
        want[i] = static_cast<float>(function.second(xs[i]));
        slope[i] = static_cast<float>(gs[i] * (function.second(xs[i] + 1e-5) - function.second(xs[i] - 1e-5)) / 2e-5);
      }
      CHECK(near(f.get(e, "y", type, 63), want, toleranceOf(type)));
      CHECK(near(f.get(e, "x", type, 63), want, toleranceOf(type)));
      CHECK(near(f.get(e, "dx", type, 63), slope, 10 * toleranceOf(type)));
    }
}

TEST(non_linearity_of_scattered_views_scalars_and_nothing) {
  Machine f;
  const Tensor x = f.spread("x", {6, 10}, 5), s = f.variable("s", {}), none = f.spread("none", {0, 3}, 1);
  popnn::reluInPlace(f.graph, x.slice(1, 5, 0).transpose().slice(2, 7, 0), f.prog);
  popnn::reluInPlace(f.graph, x.slice(0, 1, 0).subSample(2, 1), f.prog);
  popnn::reluInPlace(f.graph, s, f.prog);
  popnn::reluInPlace(f.graph, none, f.prog);
  f.expose("ones", popnn::sigmoid(f.graph, f.graph.clone(x).slice(0, 1, 0).broadcast(3, 0), f.prog));
  Engine e = f.engine();
  write(e, "x", std::vector<float>(60, -1.f));
  write(e, "s", std::vector<float>{-2.f});
  e.run();
  const std::vector<float> got = readFloats(e, "x", 60);
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t r = i / 10, c = i % 10;
    const bool inside = (r >= 1 && r < 5 && c >= 2 && c < 7) || (r == 0 && c % 2 == 0);
    CHECK_EQ(got[i], inside ? 0.f : -1.f);
  }
  CHECK_EQ(readFloats(e, "s", 1)[0], 0.f);
  CHECK_EQ(readFloats(e, "ones", 30)[29], 0.5f);
}

TEST(softmax_of_few_long_and_many_short_rows) {
  const std::size_t shapes[][2] = {{1, 1}, {2, 300}, {1, 1000}, {200, 3}, {5, 17}, {0, 4}};
  for (const Type &type : {FLOAT, HALF})
    for (const auto &s : shapes) {
      Machine f(4);
      const std::size_t n = s[0] * s[1];
      const Tensor x = f.spread("x", {s[0], s[1]}, 4, type);
      float scaling = 0;
      f.expose("plain", popnn::softmax(f.graph, x, f.prog));
      f.expose("scaled", popnn::nonLinearity(f.graph, NonLinearityType::SOFTMAX_SCALED, x, scaling, f.prog));
      f.expose("log", popnn::logSoftmax(f.graph, x, f.prog));
      popnn::softmaxStableInPlace(f.graph, x, f.prog);
      CHECK_EQ(scaling, SOFTMAX_SCALING);
      Engine e = f.engine();
      const std::vector<float> xs = values(n);
      f.put(e, "x", type, xs);
      e.run();
      std::vector<float> want = softmaxOf(xs, s[1]), scaled = want, logs = want;
      for (std::size_t i = 0; i < n; ++i) {
        scaled[i] *= SOFTMAX_SCALING;
        logs[i] = std::log(want[i]);
      }
      CHECK(near(f.get(e, "plain", type, n), want, toleranceOf(type)));
      CHECK(near(f.get(e, "x", type, n), want, toleranceOf(type)));
      CHECK(near(f.get(e, "scaled", type, n), scaled, toleranceOf(type)));
      CHECK(near(f.get(e, "log", type, n), logs, toleranceOf(type)));
    }
}

TEST(softmax_does_not_overflow_and_knows_minus_infinity) {
  Machine f(4);
  const Tensor x = f.spread("x", {64}, 4);
  popnn::softmaxInPlace(f.graph, x, f.prog);
  Engine e = f.engine();
  std::vector<float> xs(64, -INFINITY);
  xs[3] = xs[4] = 1000;
  write(e, "x", xs);
  e.run();
  const std::vector<float> got = readFloats(e, "x", 64);
  for (std::size_t i = 0; i < 64; ++i)
    CHECK_EQ(got[i], i == 3 || i == 4 ? 0.5f : 0.f);
}

TEST(softmax_gradient) {
  for (const std::size_t rows : {2, 100}) {
    Machine f(4);
    const Tensor y = f.spread("y", {rows, 40}, 4), g = f.spread("g", {rows, 40}, 4);
    f.expose("dx", popnn::softmaxInputGradient(f.graph, y, g, f.prog));
    Engine e = f.engine();
    const std::vector<float> ys = softmaxOf(values(rows * 40), 40), gs = values(rows * 40, 3);
    write(e, "y", ys);
    write(e, "g", gs);
    e.run();
    std::vector<float> want(rows * 40);
    for (std::size_t i = 0; i < want.size(); ++i) {
      double dot = 0;
      for (std::size_t j = i / 40 * 40; j < i / 40 * 40 + 40; ++j)
        dot += double(ys[j]) * gs[j];
      want[i] = static_cast<float>(ys[i] * (gs[i] - dot));
    }
    CHECK(near(readFloats(e, "dx", want.size()), want, 1e-5f));
  }
}

TEST(misuse_of_non_linearities) {
  Machine f;
  const Tensor i = f.spread("i", 8, 2, INT), x = f.spread("x", 8, 2), s = f.variable("s", {});
  ComputeSet cs = f.graph.addComputeSet("cs");
  CHECK_THROWS(popnn::relu(f.graph, i, f.prog, "act"), poputil::poplibs_error, "'act': the type int");
  CHECK_THROWS(popnn::softmax(f.graph, s, f.prog), poputil::poplibs_error, "needs a dimension");
  CHECK_THROWS(popnn::nonLinearityInPlace(f.graph, NonLinearityType::SOFTMAX, x, cs), poputil::poplibs_error, "Sequence");
  CHECK_THROWS(popnn::reluInPlace(f.graph, x.expand({0}).broadcast(2, 0), f.prog), poputil::poplibs_error, "aliased");
  CHECK_THROWS(popnn::reluInputGradient(f.graph, x, x.slice(0, 4), f.prog), poputil::poplibs_error, "differ");
}
