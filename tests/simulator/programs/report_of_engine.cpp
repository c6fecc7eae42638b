// Asks an engine for its report: two copies of which one runs three times.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <iostream>

using namespace poplar;

int main() {
  IPUModel model;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device);
  const Tensor x = graph.addVariable(FLOAT, {100}, VariableMappingMethod::LINEAR, "x");
  const Tensor y = graph.addVariable(FLOAT, {100}, "y");
  graph.setTileMapping(y, 3);
  Engine engine(graph, {program::Repeat(3, program::Copy(x, y, "gather")), program::Copy(y, x, "scatter")});
  engine.load(device);
  engine.run(0);
  const pva::Report report = engine.getReport();
  for (const pva::ExecutionStep &step : report.execution().steps())
    std::cout << step.name() << ' ' << step.count() << ' ' << (step.cycles() > 0) << '\n';
  std::cout << report.compilation().tiles().size() << ' ' << report.compilation().graph().numVars() << '\n';
}
