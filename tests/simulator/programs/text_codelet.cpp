// Codelets from memory, half precision, vector-valued initial values, lists of rows, an error to catch.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>

#include <iostream>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static const char *codelet = R"(
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
class Weigh : public Vertex {
public:
  Vector<Input<Vector<half>>> rows;
  Vector<Output<Vector<half, VectorLayout::ONE_PTR>>> out;
  Vector<half> weights;
  bool compute() {
    for (unsigned i = 0; i < rows.size(); ++i)
      for (unsigned j = 0; j < rows[i].size(); ++j)
        out[i][j] = rows[i][j] * weights[i];
    return true;
  }
};
)";

int main() {
  Device device = DeviceManager().getDevice(0);
  device.attach();
  Graph graph(device);
  std::stringstream source(codelet);
  graph.addCodelets(source, "-O2");

  Tensor in = graph.addVariable(HALF, {2, 3}, "in");
  Tensor out = graph.addVariable(HALF, {2, 3}, "out");
  graph.setTileMapping(in, 3);
  graph.setTileMapping(out, 4);
  for (unsigned i = 0; i < 6; ++i)
    graph.setInitialValue(in.flatten()[i], 1.5f + i);
  ComputeSet cs = graph.addComputeSet();
  VertexRef v = graph.addVertex(cs, "Weigh", {{"rows", in}, {"out", out}});
  graph.setInitialValue(v["weights"], std::vector<float>{2, -1});
  graph.setTileMapping(v, 4);
  try {
    graph.addVertex(cs, "Missing");
  } catch (const poplar_error &error) {
    std::cout << "refused\n";
  }
  Engine engine(graph, Sequence{Execute(cs), PrintTensor("out", out)});
  engine.loadAndRun(device);
  std::cout << "done\n";
}
