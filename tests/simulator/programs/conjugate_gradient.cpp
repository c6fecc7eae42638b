// Solves A x = b for a symmetric positive definite matrix by conjugate gradients, with PopLibs only. The device decides
// when it is done.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static Tensor dot(Graph &graph, const Tensor &a, const Tensor &b, Sequence &program) {
  const Tensor products = popops::mul(graph, a, b, program, "products");
  return popops::reduce(graph, products.flatten(), FLOAT, {0}, {popops::Operation::ADD}, program, "dot");
}

int main() {
  constexpr unsigned n = 40;
  constexpr float tolerance = 1e-8f; // of the residual's square
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);

  const Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, {n, n}, {n, 1}, "a");
  const Tensor p = poplin::createMatMulInputRHS(graph, FLOAT, {n, n}, {n, 1}, "p");
  const Tensor x = graph.clone(p, "x"), r = graph.clone(p, "r"), rr = graph.addVariable(FLOAT, {}, "rr");
  const Tensor steps = graph.addVariable(UNSIGNED_INT, {}, "steps");
  graph.setTileMapping(rr, 0);
  graph.setTileMapping(steps, 0);
  graph.createHostWrite("a", a);
  graph.createHostWrite("r", r); // r = b, as x = 0
  graph.createHostRead("x", x);
  graph.createHostRead("steps", steps);
  graph.setInitialValue<unsigned>(steps, 0);
  graph.setInitialValue<float>(x, std::vector<float>(n, 0.0f));

  Sequence start{Copy(r, p)}, test, step;
  start.add(Copy(dot(graph, r, r, start), rr));
  const Tensor goesOn = popops::map(graph, pe::_1 > pe::Const(tolerance), {rr}, test, "goes on");
  const Tensor q = poplin::matMul(graph, a, p, step, "q");
  const Tensor alpha = popops::div(graph, rr, dot(graph, p, q, step), step, "alpha");
  popops::scaledAddTo(graph, x, p, alpha, step, "x");
  popops::scaledSubtractFrom(graph, r, q, alpha, step, "r");
  const Tensor rrNew = dot(graph, r, r, step);
  const Tensor beta = popops::div(graph, rrNew, rr, step, "beta");
  popops::mapInPlace(graph, pe::_2 + pe::_3 * pe::_1, {p, r, beta}, step, "p");
  step.add(Copy(rrNew, rr));
  popops::mapInPlace(graph, pe::_1 + pe::Const(1u), {steps}, step, "steps");

  std::vector<float> matrix(n * n), b(n), result(n);
  for (unsigned i = 0; i < n; ++i) {
    b[i] = static_cast<float>(i % 7) - 3;
    for (unsigned j = 0; j < n; ++j)
      matrix[i * n + j] = i == j ? 4.0f : 1.0f / static_cast<float>((i + j + 2) * (1 + (i > j ? i - j : j - i)));
  }
  Engine engine(graph, Sequence{start, RepeatWhileTrue(test, goesOn, step)});
  engine.load(device);
  engine.writeTensor("a", matrix.data(), matrix.data() + matrix.size());
  engine.writeTensor("r", b.data(), b.data() + n);
  engine.run();
  engine.readTensor("x", result.data(), result.data() + n);
  unsigned count = 0;
  engine.readTensor("steps", &count, &count + 1);

  double worst = 0;
  for (unsigned i = 0; i < n; ++i) {
    double residual = b[i];
    for (unsigned j = 0; j < n; ++j)
      residual -= static_cast<double>(matrix[i * n + j]) * result[j];
    worst = std::max(worst, std::abs(residual));
  }
  std::cout << (worst < 1e-4 ? "solved" : "not solved") << '\n';
  std::cout << (count > 2 && count < n ? "in less steps than unknowns" : "in too many steps") << '\n';
}
