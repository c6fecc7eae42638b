// Vertices on several tiles, a reduction in a second compute set, a loop that a vertex ends, fields of all kinds.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main() {
  IPUModel model;
  Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets("norm_codelets.cpp");

  const unsigned tiles = 4, each = 3;
  Tensor x = graph.addVariable(FLOAT, {tiles * each}, "x");
  Tensor partial = graph.addVariable(FLOAT, {tiles}, "partial");
  Tensor total = graph.addVariable(FLOAT, {1}, "total");
  Tensor again = graph.addVariable(BOOL, {}, "again");
  graph.setTileMapping(total, 7);
  graph.setTileMapping(again, 7);
  graph.setInitialValue(total[0], 0.5f);

  ComputeSet squares = graph.addComputeSet("squares");
  for (unsigned t = 0; t < tiles; ++t) {
    Tensor part = x.slice(t * each, (t + 1) * each);
    graph.setTileMapping(part, t);
    graph.setTileMapping(partial[t], t);
    VertexRef v = graph.addVertex(squares, "SquareSum", {{"part", part}, {"sum", partial[t]}});
    graph.setTileMapping(v, t);
    graph.setPerfEstimate(v, 20);
  }
  ComputeSet sum = graph.addComputeSet("sum");
  VertexRef v = graph.addVertex(sum, "AddUp<float>");
  graph.connect(v["parts"], partial);
  graph.connect(v["total"], total[0]);
  graph.setInitialValue(v["scale"], 0.5);
  graph.setInitialValue(v["runs"], 0);
  graph.setTileMapping(v, 7);

  graph.createHostWrite("x", x);
  Sequence program;
  program.add(Execute(squares));
  program.add(RepeatWhileTrue(Execute(sum, again), again, Sequence()));
  program.add(PrintTensor("partial", partial));
  program.add(PrintTensor("total", total));

  Engine engine(graph, program);
  engine.load(device);
  std::vector<float> host(tiles * each);
  for (unsigned i = 0; i < host.size(); ++i)
    host[i] = i;
  engine.writeTensor("x", host.data(), host.data() + host.size());
  engine.run();
  std::cout << "done\n";
}
