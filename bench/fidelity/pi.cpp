// Pi by slices under a curve, one worker on each tile of a Bow.
//   pi <slices of a tile> <tiles>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace poplar;

int main(int, char **argv) {
  const auto slices = static_cast<unsigned>(std::stoul(argv[1]));
  const Target target = Target::createIPUTarget(1, static_cast<unsigned>(std::stoul(argv[2])), "bow");
  Graph graph(target);
  graph.addCodelets(std::string(FIDELITY_SOURCES) + "/pi_codelets.cpp");
  const Tensor sums = graph.addVariable(FLOAT, {target.getNumTiles()}, "sums");
  const ComputeSet cs = graph.addComputeSet("pi");
  for (unsigned tile = 0; tile < target.getNumTiles(); ++tile) {
    const VertexRef v = graph.addVertex(cs, "Pi", {{"sum", sums[tile]}});
    graph.setInitialValue(v["slices"], slices);
    graph.setInitialValue(v["width"], 1.0f / static_cast<float>(slices));
    graph.setTileMapping(sums[tile], tile);
    graph.setTileMapping(v, tile);
  }
  graph.createHostRead("sums", sums);
  Engine engine(graph, program::Execute(cs));
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
  std::vector<float> result(target.getNumTiles());
  engine.readTensor("sums", result.data(), result.data() + result.size());
  return std::fabs(result[0] / static_cast<float>(slices) - 3.14159f) < 0.01f ? 0 : 1;
}
