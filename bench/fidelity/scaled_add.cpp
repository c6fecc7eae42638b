// A scaled addition of float vectors on one tile of a Mk2:
//   scaled_add <elements>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>

#include <string>

using namespace poplar;

int main(int, char **argv) {
  const Target target = Target::createIPUTarget(1, "ipu2");
  Graph graph(target);
  popops::addCodelets(graph);
  const Tensor a = graph.addVariable(FLOAT, {std::stoul(argv[1])}, "a"), b = graph.clone(a, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 0);
  program::Sequence prog;
  popops::scaledAddTo(graph, a, b, 0.5f, prog, "add");
  Engine engine(graph, prog);
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
}
