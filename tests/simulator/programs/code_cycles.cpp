// Prints the compute cycles of vertices whose cost comes from their code, or from the program's own estimate.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

const char *const codelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class Scale : public Vertex {
public:
  InOut<Vector<float>> data;
  float factor;
  bool compute() {
    const float f = factor;
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] *= f;
    return true;
  }
};

class Find : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> at;
  bool compute(unsigned worker) {
    int i = 0;
    while (in[i] != 0)
      ++i;
    at[worker] = i;
    return true;
  }
};

class Timed : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> sum;
  Output<Vector<unsigned>> cycles;
  bool compute() {
    float s = 0;
    const unsigned begin = __builtin_ipu_get_scount_l();
    for (unsigned i = 0; i < in.size(); ++i)
      s += in[i];
    const unsigned middle = __builtin_ipu_get_scount_l();
    *sum = s;
    const unsigned end = __builtin_ipu_get_scount_l();
    cycles[0] = middle - begin;
    cycles[1] = end - middle;
    return true;
  }
};
)";

double computeCycles(const Engine &engine) { return engine.getProfile()["cycles"]["compute"].asDouble(); }

std::string sourceOf(const Engine &engine) {
  return engine.getProfile()["vertexTypes"].asVector()[0]["estimateSource"].asString();
}

// 20 vertices of 100 elements and one of 200, on four tiles; the program claims that each takes one slot.
void scale(const std::string &title, const Device &device, const OptionFlags &options) {
  Graph graph(device.getTarget());
  std::stringstream source(codelets);
  graph.addCodelets(source);
  const Tensor data = graph.addVariable(FLOAT, {2200}, "data");
  const ComputeSet cs = graph.addComputeSet("scale");
  for (unsigned i = 0; i <= 20; ++i) {
    const Tensor part = data.slice(100 * i, i == 20 ? 2200 : 100 * (i + 1));
    const VertexRef v = graph.addVertex(cs, "Scale", {{"data", part}});
    graph.setInitialValue(v["factor"], 2.0f);
    graph.setTileMapping(part, i % 4);
    graph.setTileMapping(v, i % 4);
    graph.setPerfEstimate(v, 1);
  }
  Engine engine(graph, Repeat(3, Execute(cs)), options);
  engine.load(device);
  engine.run();
  std::cout << title << ' ' << sourceOf(engine) << ' ' << computeCycles(engine) << '\n';
  std::cerr << title << '\n';
  engine.printProfileSummary(std::cerr);
}

// The same vertex on two arrays, one after the other: it takes as long as the zero is far away.
void find(const Device &device) {
  Graph graph(device.getTarget());
  std::stringstream source(codelets);
  graph.addCodelets(source);
  const Tensor in = graph.addVariable(INT, {100}, "in"), at = graph.addVariable(INT, {6}, "at");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(at, 0);
  graph.createHostWrite("in", in);
  const ComputeSet cs = graph.addComputeSet("find");
  graph.setTileMapping(graph.addVertex(cs, "Find", {{"in", in}, {"at", at}}), 0);
  Engine engine(graph, Execute(cs));
  engine.load(device);
  double before = 0;
  for (const int zero : {10, 20, 40}) {
    std::vector<int> values(100, 1);
    values[zero] = 0;
    engine.writeTensor("in", values.data(), values.data() + values.size());
    engine.run();
    std::cout << "find " << zero << ' ' << computeCycles(engine) - before << '\n';
    before = computeCycles(engine);
  }
}

// Two vertices of each size read the cycle counter themselves, in two executions.
void timed(const Device &device) {
  Graph graph(device.getTarget());
  std::stringstream source(codelets);
  graph.addCodelets(source);
  const std::vector<unsigned> sizes = {100, 100, 300, 300};
  const Tensor in = graph.addConstant<float>(FLOAT, {300}, 1.0f), sums = graph.addVariable(FLOAT, {4}, "sums");
  const Tensor cycles = graph.addVariable(UNSIGNED_INT, {4, 2}, "cycles");
  graph.setTileMapping(in, 0);
  const ComputeSet cs = graph.addComputeSet("timed");
  for (unsigned i = 0; i < sizes.size(); ++i) {
    const VertexRef v = graph.addVertex(cs, "Timed", {{"in", in.slice(0, sizes[i])}, {"sum", sums[i]}, {"cycles", cycles[i]}});
    graph.setTileMapping(v, i);
    graph.setTileMapping(sums[i], i);
    graph.setTileMapping(cycles[i], i);
  }
  graph.createHostRead("cycles", cycles);
  Engine engine(graph, Repeat(2, Execute(cs)));
  engine.load(device);
  engine.run();
  std::vector<unsigned> read(8);
  engine.readTensor("cycles", read.data(), read.data() + read.size());
  for (unsigned i = 0; i < sizes.size(); ++i)
    std::cout << "timed-" << i << ' ' << read[2 * i] << ' ' << read[2 * i + 1] << '\n';
}

} // namespace

int main() {
  Device hardware = DeviceManager().getDevice(0);
  hardware.attach();
  IPUModel model;
  model.tilesPerIPU = 4;
  const Device modelled = model.createDevice();
  scale("hardware", hardware, {});
  scale("model", modelled, {});
  scale("hardware-estimates", hardware, {{"target.vertexCycles", "estimates"}});
  scale("model-code", modelled, {{"target.vertexCycles", "code"}});
  find(hardware);
  timed(hardware);
  try {
    scale("wrong", hardware, {{"target.vertexCycles", "guess"}});
  } catch (const invalid_option &error) {
    std::cout << error.what() << '\n';
  }
}
