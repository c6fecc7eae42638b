// The matrix unit on one tile: amp <rows> computes [rows, 16] x [16, 16] in half with float partials, in one vertex.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplin/codelets.hpp>

#include <cstdlib>

using namespace poplar;

namespace {

Tensor variable(Graph &graph, const Type &type, std::size_t rows, const char *name) {
  const Tensor t = graph.addVariable(type, {rows * 16}, name);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

int main(int argc, char **argv) {
  const std::size_t rows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16;
  const Device device = Device::createSimulatorDevice(Target::createIPUTarget(1, "bow"));
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  const ComputeSet cs = graph.addComputeSet("amp");
  const VertexRef v = graph.addVertex(cs, "poplin::ConvPartial1x1Out<half,float>",
                                      {{"in", variable(graph, HALF, rows, "in")},
                                       {"weights", variable(graph, HALF, 16, "weights")},
                                       {"out", variable(graph, FLOAT, rows, "out")}});
  const char *const sizes[] = {"groups", "depth", "columns", "depthGroup", "columnGroup"};
  for (const char *size : sizes)
    graph.setInitialValue(v[size], size == sizes[0] ? 1 : 16);
  graph.setInitialValue(v["rows"], rows);
  graph.setTileMapping(v, 0);
  Engine engine(graph, program::Execute(cs));
  engine.load(device);
  engine.run();
}
