// Compiles in one process, runs in another: ./executable save FILE, then ./executable run FILE.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

using namespace poplar;
using namespace poplar::program;

static Device device() {
  for (Device &d : DeviceManager().getDevices(TargetType::IPU, 1))
    if (d.attach())
      return std::move(d);
  throw std::runtime_error("no device");
}

static Executable compile(const Device &d) {
  Graph graph(d);
  graph.addCodelets("norm_codelets.cpp");
  const Tensor x = graph.addVariable(FLOAT, {8}, "x"), total = graph.addVariable(FLOAT, {4}, "total");
  graph.setInitialValue(total, 0.5f);
  const ComputeSet cs = graph.addComputeSet("squares");
  for (unsigned i = 0; i < 4; ++i) {
    graph.setTileMapping(x.slice(2 * i, 2 * i + 2), i);
    graph.setTileMapping(total[i], i);
    const VertexRef v = graph.addVertex(cs, "SquareSum", {{"part", x.slice(2 * i, 2 * i + 2)}, {"sum", total[i]}});
    graph.setTileMapping(v, i);
  }
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 8);
  graph.createHostRead("total", total);
  return compileGraph(graph, {Sequence{Copy(in, x), Execute(cs)}});
}

int main(int, char **argv) {
  const Device d = device();
  const std::string file = argv[2];
  if (argv[1] == std::string("save")) {
    std::ofstream out(file, std::ios::binary);
    compile(d).serialize(out);
    return 0;
  }
  std::ifstream in(file, std::ios::binary);
  Engine engine(Executable::deserialize(in));
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, total(4);
  engine.connectStream("in", x.data(), x.data() + x.size());
  engine.load(d);
  engine.run();
  engine.readTensor("total", total.data(), total.data() + total.size());
  for (const float value : total)
    std::cout << value << ' ';
  std::cout << '\n';
}
