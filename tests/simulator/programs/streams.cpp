// Variables, mappings, copies, a stream that wraps around, and what PrintTensor shows. No codelets.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <vector>

using namespace poplar;

int main() {
  IPUModel model;
  Device device = model.createDevice();
  Graph graph(device.getTarget());

  Tensor grid = graph.addVariable(INT, {3, 4}, "grid");
  for (unsigned row = 0; row < 3; ++row)
    graph.setTileMapping(grid[row], row);
  Tensor zero = graph.addConstant<int>(INT, {3, 4}, 0);
  graph.setTileMapping(zero, 0);
  Tensor weights = graph.addConstant<float>(FLOAT, {2}, {0.25, 4.5});
  graph.setTileMapping(weights, 1);

  DataStream in = graph.addHostToDeviceFIFO("in", INT, 4);
  DataStream out = graph.addDeviceToHostFIFO("out", INT, 6);
  graph.createHostWrite("corner", grid.slice({0, 2}, {2, 4}));
  graph.createHostRead("grid", grid);

  program::Sequence fill;
  fill.add(program::Copy(zero, grid));
  for (unsigned row = 0; row < 3; ++row)
    fill.add(program::Copy(in, grid[row]));
  fill.add(program::PrintTensor("last row", grid[2]));
  fill.add(program::PrintTensor("weights", weights));

  program::Sequence turn;
  turn.add(program::Copy(grid.slice(0, 2), grid.slice(1, 3)));
  turn.add(program::Copy(grid.slice({0, 0}, {2, 3}).flatten(), out));

  Engine engine(graph, std::vector<program::Program>{fill, turn});
  std::vector<int> source = {1, 2, 3, 4, 5, 6, 7, 8}; // two rows: the third is the first again
  std::vector<int> sink(6);
  engine.connectStream("in", source.data(), source.data() + source.size());
  engine.connectStream("out", sink.data(), sink.data() + sink.size());
  engine.load(device);
  engine.run(0);

  std::vector<int> corner = {-1, -2, -3, -4};
  engine.writeTensor("corner", corner.data(), corner.data() + corner.size());
  engine.run(1);
  std::vector<int> all(12);
  engine.readTensor("grid", all.data(), all.data() + all.size());

  for (int value : all)
    std::cout << value << " ";
  std::cout << "\n";
  for (int value : sink)
    std::cout << value << " ";
  std::cout << "\n";
}
