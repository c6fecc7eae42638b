// The price of a European call option from random paths, with PopLibs only, against the formula of Black and Scholes.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

constexpr double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
constexpr unsigned paths = 20000, batches = 5;

static double blackScholes() {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double deviation = volatility * std::sqrt(years);
  const double d = (std::log(spot / strike) + rate * years) / deviation + deviation / 2;
  return spot * normal(d) - strike * std::exp(-rate * years) * normal(d - deviation);
}

int main() {
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poprand::addCodelets(graph);

  const Tensor reference = graph.addVariable(FLOAT, {paths}, "reference");
  poputil::mapTensorLinearly(graph, reference);
  const Tensor sums = graph.addVariable(FLOAT, {2}, "sums"); // of the pay-offs, and of their squares
  poputil::mapTensorLinearly(graph, sums);
  const Tensor seed = graph.addVariable(UNSIGNED_INT, {2}, "seed");
  graph.setTileMapping(seed, 0);
  graph.setInitialValue<unsigned>(seed, {42, 1});
  graph.setInitialValue<float>(sums, {0, 0});
  graph.createHostRead("sums", sums);

  Sequence batch;
  const Tensor z = poprand::normal(graph, &seed, 0, reference, FLOAT, 0.0, 1.0, batch, "z");
  const double drift = (rate - volatility * volatility / 2) * years, deviation = volatility * std::sqrt(years);
  const auto price = pe::Const(spot) * pe::Exp(pe::Const(drift) + pe::Const(deviation) * pe::_1);
  const Tensor payOff = popops::map(graph, pe::Max(price - pe::Const(strike), pe::Const(0.0f)), {z}, batch, "pay-off");
  const Tensor total = popops::reduce(graph, payOff, FLOAT, {0}, {popops::Operation::ADD}, batch, "total");
  const Tensor squares = popops::reduce(graph, payOff, FLOAT, {0}, {popops::Operation::SQUARE_ADD}, batch, "squares");
  popops::addInPlace(graph, sums, concat(total.reshape({1}), squares.reshape({1})), batch, "sum");
  popops::mapInPlace(graph, pe::_1 + pe::Const(1u), {seed}, batch, "next seed");

  Engine engine(graph, Repeat(batches, batch));
  engine.load(device);
  engine.run();
  std::vector<float> read(2);
  engine.readTensor("sums", read.data(), read.data() + 2);

  constexpr double n = static_cast<double>(paths) * batches;
  const double mean = read[0] / n, error = std::sqrt((read[1] / n - mean * mean) / n), discount = std::exp(-rate * years);
  const double difference = std::abs(discount * mean - blackScholes());
  std::cout << (difference < 4 * discount * error ? "as the formula says" : "not what the formula says") << '\n';
  std::cout << (error > 0.02 && error < 0.06 ? "the error is plausible" : "the error is not plausible") << '\n';
}
