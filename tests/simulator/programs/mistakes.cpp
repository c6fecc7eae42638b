// Runs one vertex with a mistake: mistakes <class>. Prints the exception.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <iostream>

using namespace poplar;

int main(int, char **argv) {
  const Device device = IPUModel().createDevice();
  Graph graph(device);
  graph.addCodelets("mistakes_codelets.cpp");
  const Tensor x = graph.addVariable(INT, {12}, "x"), y = graph.addVariable(INT, {6}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 1);
  graph.setInitialValue(x.slice(0, 9), ArrayRef<int>({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const ComputeSet cs = graph.addComputeSet("sums");
  const VertexRef v = graph.addVertex(cs, argv[1], {{"in", x.slice(0, std::atoi(argv[2]))}, {"out", y}, {"zero", 0}});
  graph.setTileMapping(v, 1);
  try {
    Engine engine(graph, program::Execute(cs));
    engine.load(device);
    engine.run();
    std::cout << "no mistake\n";
  } catch (const application_runtime_error &e) {
    std::cout << e.what() << '\n';
  }
}
