// The ways in which public programs spell their calls. It must compile from C++11 to C++20; it is never run.
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RandomSeed.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;

struct CountingCallback final : public StreamCallback {
  Result prefetch(void *__restrict) noexcept override { return Result::NotAvailable; }
  void fetch(void *__restrict) noexcept override {}
  void complete() noexcept override {}
};

Device anyDevice() {
  auto manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, 1, {{"ipuLinkDomainSize", "4"}});
  Device device;
  auto it = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (it != devices.end())
    device = std::move(*it);
  return device;
}

void variables(Graph &graph) {
  const unsigned n = 4;
  const unsigned long m = 5;
  Tensor a = graph.addVariable(FLOAT, {n, m}, "a");
  Tensor b = graph.addVariable(FLOAT, {}, {"b"});
  Tensor c = graph.addVariable(INT, a.shape(), std::string("c"));
  Tensor d = graph.addVariable(HALF, {3}, VariableMappingMethod::LINEAR, {DebugContext("x"), "y"});
  const DebugNameAndId di{"name"};
  Tensor e = graph.addVariable(BOOL, {1}, {di, "e"});
  Tensor c1 = graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5});
  Tensor c2 = graph.addConstant(UNSIGNED_INT, {}, 5);
  Tensor c3 = graph.addConstant<unsigned>(UNSIGNED_INT, {}, 0, "zero");
  Tensor c4 = graph.addConstant<float>(HALF, {2}, 0.5f, {di});
  const std::vector<int> values(3);
  Tensor c5 = graph.addConstant<int>(INT, {3}, values);
  Tensor c6 = graph.addConstant<int>(INT, {3}, values.data());
  Tensor c7 = graph.addConstant(INT, {3}, values.data(), "c7");
  Tensor c8 = graph.addConstant(INT, {3}, ArrayRef<int>(values));
  graph.setTileMapping(a, std::floor(1.5));
  graph.setTileMapping(c1, 0);
  graph.setInitialValue(b, 1);
  graph.setInitialValue<float>(b, 1);
  graph.setInitialValue(c1, {1.0f, 2.0f, 3.0f, 4.0f});
  graph.setInitialValue(c5, ArrayRef<int>(values));
  auto mapping = graph.getTileMapping(a);
  graph.setTileMapping(b, mapping);
  Tensor s = concat(a.slice({0, 0}, {1, 2}).flatten(), a[1].slice(0, 3), {0});
  s = concat({s, s, s});
  s = a.slice({1, 3}, 1).reshape({a.dim(0) * 2}).expand({0, 1}).squeeze({0});
  poputil::mapTensorLinearly(graph, a);
}

void vertices(Graph &graph, Tensor t) {
  ComputeSet cs = graph.addComputeSet("cs");
  ComputeSet unnamed = graph.addComputeSet();
  VertexRef v = graph.addVertex(cs, "V", {{"in", t}, {"n", 3}, {"list", {t, t}}, {"x", 2.5f}});
  VertexRef w = graph.addVertex(unnamed, poputil::templateVertex("W", FLOAT, true));
  graph.connect(v["a"], t);
  graph.connect(v["b"], {t, t});
  graph.connect(v["c"], std::vector<Tensor>{t});
  graph.connect(v["d"], t.numElements());
  graph.connect(w["e"][3], t[0]);
  graph.setInitialValue(v["f"], t.numElements());
  graph.setInitialValue(v["g"], std::vector<unsigned>{1, 2});
  graph.setInitialValue(v["h"], {1, 2});
  graph.setInitialValue(v["i"], ArrayRef<float>({1.f}));
  graph.setPerfEstimate(v, 20);
  graph.setCycleEstimate(w, 20);
  graph.setTileMapping(v, 1);
  graph.setFieldSize(v["j"], 3);
  graph.addCodelets("a.cpp");
  graph.addCodelets(std::string("a.gp"));
  graph.addCodelets({"a.cpp", "b.cpp"}, "-O3 -I codelets");
  graph.addCodelets({"a.cpp"});
  graph.addCodelets("a.cpp", CodeletFileType::Auto, "-O3");
  std::stringstream text("");
  graph.addCodelets(text);
}

Program programs(Graph &graph, Tensor t, ComputeSet cs) {
  Sequence seq;
  Sequence named({Execute(cs), Copy(t, t)}, "named");
  Sequence listed{Execute(cs), Copy(t, t), named};
  Sequence old(Execute(cs), named, Copy(t, t, false, "x"));
  Sequence fromVector(std::vector<Program>{seq, named});
  seq.add(Repeat(3, named, "repeat"));
  seq.add(RepeatWhileTrue(Sequence{}, t[0], Execute(cs, {"in loop"})));
  seq.add(If(t[0], named, Sequence()));
  seq.add(Switch(t[0], {{1, named}, {2, Execute(cs)}}));
  Switch s(t[0]);
  s.add(3, named).add(4, seq);
  seq.add(s);
  seq.add(PrintTensor("t", t));
  seq.add(PrintTensor(t, "context"));
  seq.add(PrintTensor("t", t, PrintTensorFmt(10, 2)));
  seq.add(Sync(SyncType::INTERNAL));
  seq.add(WriteUndef(t));
  seq.add(Call(graph.addFunction(named)));
  auto in = graph.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::BROADCAST, {{"bufferingDepth", "2"}});
  auto out = graph.addDeviceToHostFIFO("out", FLOAT, 4);
  auto prog = Sequence({Copy(in, t), Copy(t, out, true, "copy"), Copy(t, out, "named copy")});
  setFloatingPointBehaviour(graph, seq, {true, true, true, false, true}, "fp");
  Tensor cycles = cycleCount(graph, seq, 0, SyncType::EXTERNAL, "cycles");
  Tensor seeds = getHwSeeds(graph, seq, "seeds");
  std::vector<Program> many;
  many.push_back(seq);
  many.emplace_back(prog);
  std::map<std::string, Program> byName;
  byName["x"] = seq;
  return Sequence({many[0], byName["x"]});
}

void engines(Graph &graph, Device &device, Program prog, Sequence seq) {
  Engine a(graph, prog);
  Engine b(graph, seq, {{"debug.instrument", "true"}});
  Engine c{graph, prog, {{"debug.instrument", "true"}, {"autoReport.all", "false"}}};
  Engine d(graph, {prog, seq}, OptionFlags{});
  Engine e(graph, std::vector<Program>{prog});
  auto exe = compileGraph(graph, {prog, seq}, {{"debug.instrument", "true"}});
  Engine f(std::move(exe), {{"debug.instrument", "true"}});
  Engine g = std::move(a);
  std::vector<float> data(4);
  g.load(device);
  g.connectStream("in", data.data());
  g.connectStream("in", data.data(), data.data() + 4);
  g.connectStream("in", &data[0], &data[4]);
  g.connectStreamToCallback("in", [](void *) {});
  g.connectStreamToCallback("in", std::unique_ptr<CountingCallback>(new CountingCallback));
  g.connectStreamToCallback("in", 0, std::unique_ptr<StreamCallback>(new CountingCallback));
  unsigned long cycles;
  g.readTensor("r", &cycles, &cycles + 1);
  g.readTensor("r", data.data());
  g.writeTensor("r", data.data(), data.data() + 4);
  g.writeTensor("r", ArrayRef<float>(data));
  g.run(0);
  g.run();
  g.run(0, "name");
  g.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  g.printProfileSummary(std::cout, OptionFlags{{"showExecutionSteps", "true"}});
}

int main() { return 0; }
