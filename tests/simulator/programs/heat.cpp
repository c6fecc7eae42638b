// Heat in a rod on (simulated) hardware. Host and device code in one file; halos come from the neighbouring tiles.
#include <poplar/Vertex.hpp>

#ifdef __POPC__

using namespace poplar;

class Step : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Input<float> left, right;
  Output<Vector<float>> out;
  float k;

  bool compute(unsigned worker) {
    const int n = out.size();
    for (int i = worker; i < n; i += numWorkers()) {
      const float before = i == 0 ? *left : in[i - 1];
      const float after = i == n - 1 ? *right : in[i + 1];
      out[i] = in[i] + k * (before - 2 * in[i] + after);
    }
    return true;
  }
};

#else

#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static Program step(Graph &graph, Tensor from, Tensor to, Tensor edge) {
  ComputeSet cs = graph.addComputeSet("step");
  const auto mapping = graph.getTileMapping(from);
  const size_t n = from.numElements();
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    for (const Interval &part : mapping[tile]) {
      VertexRef v = graph.addVertex(cs, "Step", {{"in", from.slice(part)}, {"out", to.slice(part)}});
      graph.connect(v["left"], part.begin() == 0 ? edge : from[part.begin() - 1]);
      graph.connect(v["right"], part.end() == n ? edge : from[part.end()]);
      graph.setInitialValue(v["k"], 0.25f);
      graph.setTileMapping(v, tile);
    }
  }
  return Execute(cs);
}

int main(int argc, char **argv) {
  const unsigned n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const unsigned steps = argc > 2 ? std::atoi(argv[2]) : 20;

  std::vector<Device> devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto found = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (found == devices.end()) {
    std::cerr << "no device\n";
    return 1;
  }
  Device device = std::move(*found);
  Graph graph(device);
  graph.addCodelets(__FILE__);

  Tensor a = graph.addVariable(FLOAT, {n}, "a");
  poputil::mapTensorLinearly(graph, a);
  Tensor b = graph.clone(a, "b");
  Tensor edge = graph.addConstant(FLOAT, {}, 0.0f);
  graph.setTileMapping(edge, 0);
  graph.createHostWrite("a", a);
  graph.createHostRead("a", a);

  Sequence loop{Repeat(steps / 2, Sequence{step(graph, a, b, edge), step(graph, b, a, edge)})};
  Tensor cycles = cycleCount(graph, loop, 0, SyncType::INTERNAL);
  graph.createHostRead("cycles", cycles);
  Engine engine(graph, loop, {{"debug.instrument", "true"}});
  engine.load(device);

  std::vector<float> rod(n, 0.0f), next(n);
  rod[n / 2] = 1000;
  engine.writeTensor("a", rod.data(), rod.data() + n);
  engine.run(0);
  std::vector<float> result(n);
  engine.readTensor("a", result.data(), result.data() + n);
  unsigned long count = 0;
  engine.readTensor("cycles", &count, &count + 1);

  for (unsigned s = 0; s < steps; ++s) {
    for (unsigned i = 0; i < n; ++i)
      next[i] = rod[i] + 0.25f * ((i ? rod[i - 1] : 0) - 2 * rod[i] + (i + 1 < n ? rod[i + 1] : 0));
    rod.swap(next);
  }
  std::cout << (result == rod ? "same as the host" : "different from the host") << "\n";
  std::cout << "cycles " << (count > 0 ? "counted" : "missing") << "\n";
  return result != rod;
}

#endif
