// A perceptron with two layers, trained with Adam; the same on the host.
#include "network.hpp"

#include <poplin/MatMul.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace {

constexpr std::size_t batch = 12, inputs = 10, hidden = 17, classes = 5;
constexpr float rate = 0.05f, beta1 = 0.9f, beta2 = 0.99f, small = 1e-6f;

// A parameter with its moments.
struct Parameter {
  Tensor value, mean, square;

  void update(Network &f, const Tensor &gradient, const Tensor &step) const {
    using namespace popops::expr;
    popops::scaledAddTo(f.graph, mean, beta1, gradient, 1 - beta1, f.prog, "mean");
    popops::mapInPlace(f.graph, _1 * beta2 + Square(_2) * (1 - beta2), {square, gradient}, f.prog, "square");
    const Tensor change =
        popops::map(f.graph, _1 / (1.0f - Pow(Const(beta1), _3)) / (Sqrt(_2 / (1.0f - Pow(Const(beta2), _3))) + small),
                    {mean, square, step}, f.prog, "change");
    popops::scaledSubtractFrom(f.graph, value, change, rate, f.prog, "update");
  }
};

struct Perceptron {
  Matrix w1 = someNumbers(inputs * hidden, 1), b1 = Matrix(hidden), w2 = someNumbers(hidden * classes, 2),
         b2 = Matrix(classes);
  std::vector<Matrix> means{Matrix(w1.size()), Matrix(b1.size()), Matrix(w2.size()), Matrix(b2.size())};
  std::vector<Matrix> squares = means;
  unsigned step = 0;

  void update(Matrix &value, const Matrix &gradient, std::size_t i) {
    for (std::size_t k = 0; k < value.size(); ++k) {
      means[i][k] = beta1 * means[i][k] + (1 - beta1) * gradient[k];
      squares[i][k] = beta2 * squares[i][k] + (1 - beta2) * gradient[k] * gradient[k];
      value[k] -= rate * means[i][k] / (1 - std::pow(beta1, step)) /
                  (std::sqrt(squares[i][k] / (1 - std::pow(beta2, step))) + small);
    }
  }

  // One step; returns the losses.
  Matrix train(const Matrix &x, const std::vector<unsigned> &labels) {
    ++step;
    Matrix h = product(x, w1, batch, inputs, hidden), losses(batch);
    for (std::size_t i = 0; i < h.size(); ++i)
      h[i] = std::max(0.0, h[i] + b1[i % hidden]);
    Matrix p = product(h, w2, batch, hidden, classes);
    for (std::size_t r = 0; r < batch; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c)
        sum += p[r * classes + c] = std::exp(p[r * classes + c] + b2[c]);
      for (std::size_t c = 0; c < classes; ++c)
        p[r * classes + c] /= sum;
      losses[r] = -std::log(p[r * classes + labels[r]]);
      p[r * classes + labels[r]] -= 1; // now the gradient
    }
    Matrix dh = product(p, transposed(w2, hidden, classes), batch, classes, hidden), db1(hidden), db2(classes);
    for (std::size_t i = 0; i < h.size(); ++i)
      db1[i % hidden] += dh[i] = h[i] > 0 ? dh[i] : 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      db2[i % classes] += p[i];
    const Matrix dw2 = product(transposed(h, batch, hidden), p, hidden, batch, classes);
    const Matrix dw1 = product(transposed(x, batch, inputs), dh, inputs, batch, hidden);
    update(w1, dw1, 0);
    update(b1, db1, 1);
    update(w2, dw2, 2);
    update(b2, db2, 3);
    return losses;
  }
};

Parameter parameter(Network &f, const std::string &name, const Tensor &value) {
  f.expose(name, value);
  const Parameter p = {value, f.graph.clone(value, name + "/mean"), f.graph.clone(value, name + "/square")};
  f.expose(name + "/mean", p.mean);
  f.expose(name + "/square", p.square);
  return p;
}

Tensor bias(Network &f, const std::string &name, std::size_t n) {
  const Tensor t = f.graph.addVariable(FLOAT, {n}, name);
  poputil::mapTensorLinearly(f.graph, t);
  return t;
}

} // namespace

TEST(a_perceptron_is_trained_with_adam) {
  Network f;
  poplin::matmul::PlanningCache cache;
  const OptionFlags forward{{"fullyConnectedPass", "TRAINING_FWD"}}, backward{{"fullyConnectedPass", "TRAINING_BWD"}},
      update{{"fullyConnectedPass", "TRAINING_WU"}};
  const Tensor x =
      poplin::createMatMulInputLHS(f.graph, FLOAT, {batch, inputs}, {inputs, hidden}, "x", forward, &cache);
  f.expose("x", x);
  const Parameter w1 = parameter(
      f, "w1", poplin::createMatMulInputRHS(f.graph, FLOAT, {batch, inputs}, {inputs, hidden}, "w1", forward, &cache));
  const Parameter w2 = parameter(
      f, "w2", poplin::createMatMulInputRHS(f.graph, FLOAT, {batch, hidden}, {hidden, classes}, "w2", forward, &cache));
  const Parameter b1 = parameter(f, "b1", bias(f, "b1", hidden)), b2 = parameter(f, "b2", bias(f, "b2", classes));
  const Tensor labels = f.variable("labels", {batch}, 1, UNSIGNED_INT), step = f.variable("step", {}, 0);
  const Tensor losses = f.variable("losses", {batch}), correct = f.variable("correct", {}, 0, UNSIGNED_INT);

  popops::addInPlace(f.graph, step, 1.0f, f.prog, "step");
  const Tensor h = poplin::matMul(f.graph, x, w1.value, f.prog, "h", forward, &cache);
  popops::addInPlace(f.graph, h, b1.value, f.prog, "h");
  popnn::reluInPlace(f.graph, h, f.prog, "h");
  const Tensor y = poplin::matMul(f.graph, h, w2.value, f.prog, "y", forward, &cache);
  popops::addInPlace(f.graph, y, b2.value, f.prog, "y");
  popnn::nonLinearityInPlace(f.graph, popnn::NonLinearityType::SOFTMAX_STABLE, y, f.prog, "y");
  const Tensor dy = f.graph.clone(y, "dy");
  popops::zero(f.graph, correct, f.prog, "correct");
  f.prog.add(popnn::calcLoss(f.graph, y, labels, losses, dy, correct, popnn::LossType::CROSS_ENTROPY_LOSS, "loss"));
  const Tensor dh = poplin::matMul(f.graph, dy, w2.value.transpose(), f.prog, "dh", backward, &cache);
  const Tensor dsum = popnn::nonLinearityInputGradient(f.graph, popnn::NonLinearityType::RELU, h, dh, f.prog, "dsum");
  const Tensor dw2 = poplin::matMul(f.graph, h.transpose(), dy, f.prog, "dw2", update, &cache);
  const Tensor dw1 = poplin::matMul(f.graph, x.transpose(), dsum, f.prog, "dw1", update, &cache);
  const Tensor db2 = popops::reduce(f.graph, dy, {0}, popops::Operation::ADD, f.prog, "db2");
  const Tensor db1 = popops::reduce(f.graph, dsum, {0}, popops::Operation::ADD, f.prog, "db1");
  w1.update(f, dw1, step);
  b1.update(f, db1, step);
  w2.update(f, dw2, step);
  b2.update(f, db2, step);

  Engine e = f.engine();
  Perceptron host;
  const Matrix data = someNumbers(batch * inputs, 3);
  std::vector<unsigned> wanted;
  for (unsigned i = 0; i < batch; ++i)
    wanted.push_back(i * 7 % classes);
  const std::vector<std::pair<std::string, Matrix *>> all = {
      {"w1", &host.w1}, {"b1", &host.b1}, {"w2", &host.w2}, {"b2", &host.b2}};
  for (const auto &p : all) {
    write(e, p.first, floats(*p.second));
    write(e, p.first + "/mean", std::vector<float>(p.second->size()));
    write(e, p.first + "/square", std::vector<float>(p.second->size()));
  }
  write(e, "x", floats(data));
  write(e, "labels", wanted);
  write(e, "step", std::vector<float>{0});
  double first = 0, last = 0;
  for (int i = 0; i < 12; ++i) {
    e.run();
    const Matrix want = host.train(data, wanted);
    CHECK(near(readFloats(e, "losses", batch), want, 1e-3));
    last = want[0];
    first = i == 0 ? last : first;
  }
  CHECK(last < first / 2);
  for (const auto &p : all)
    CHECK(near(readFloats(e, p.first, p.second->size()), *p.second, 1e-3));
  CHECK(readAll<std::uint32_t>(e, "correct", 1)[0] > batch / 2);
}
