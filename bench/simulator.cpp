// What bench/simulator.py measures, each case in a process of its own: simulator <case> <size> ...
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// From when the codelets are loaded.
struct Times {
  double start = 0, built = 0, compiled = 0, ran = 0;
};

void finish(Times &times, Graph &graph, const Device &device, const Program &prog) {
  times.built = now();
  Engine engine(graph, prog, {{"debug.allowOutOfMemory", "true"}});
  engine.load(device);
  times.compiled = now();
  engine.run();
  times.ran = now();
}

Device machine(unsigned ipus, unsigned tiles) {
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

// x += a * y on every tile, six vertices each, through `perTile` elements.
void axpy(Times &times, unsigned ipus, unsigned tilesPerIpu, std::size_t perVertex) {
  const Device device = machine(ipus, tilesPerIpu);
  const unsigned tiles = ipus * tilesPerIpu;
  const std::size_t perTile = 6 * perVertex;
  Graph graph(device.getTarget());
  graph.addCodelets("simulator_codelets.cpp");
  times.start = now();
  const Tensor x = graph.addVariable(FLOAT, {tiles * perTile}, "x"), y = graph.addVariable(FLOAT, {tiles * perTile}, "y");
  const Tensor a = graph.addConstant(FLOAT, {}, 2.0f);
  graph.setTileMapping(a, 0);
  const ComputeSet cs = graph.addComputeSet("axpy");
  for (unsigned t = 0; t < tiles; ++t) {
    graph.setTileMapping(x.slice(t * perTile, (t + 1) * perTile), t);
    graph.setTileMapping(y.slice(t * perTile, (t + 1) * perTile), t);
    for (std::size_t begin = t * perTile; begin < (t + 1) * perTile; begin += perVertex) {
      const VertexRef v = graph.addVertex(cs, "Axpy", {{"x", x.slice(begin, begin + perVertex)},
                                                       {"y", y.slice(begin, begin + perVertex)},
                                                       {"a", a}});
      graph.setInitialValue(v["n"], perVertex);
      graph.setTileMapping(v, t);
    }
  }
  finish(times, graph, device, Execute(cs));
}

// One vertex a row, on the tile of its row; every tile gets the whole vector.
void matrixVector(Times &times, unsigned rows, unsigned columns) {
  const Device device = machine(1, 1472);
  const unsigned tiles = device.getTarget().getNumTiles();
  Graph graph(device.getTarget());
  graph.addCodelets("simulator_codelets.cpp");
  times.start = now();
  const Tensor matrix = graph.addVariable(FLOAT, {rows, columns}, "matrix"), in = graph.addVariable(FLOAT, {columns}, "in");
  const Tensor out = graph.addVariable(FLOAT, {rows}, "out");
  for (unsigned i = 0; i < columns; ++i)
    graph.setTileMapping(in[i], i * tiles / columns);
  const ComputeSet cs = graph.addComputeSet("products");
  for (unsigned row = 0; row < rows; ++row) {
    const auto tile = static_cast<unsigned>(static_cast<std::uint64_t>(row) * tiles / rows);
    graph.setTileMapping(matrix[row], tile);
    graph.setTileMapping(out[row], tile);
    const VertexRef v = graph.addVertex(cs, "Dot", {{"a", matrix[row]}, {"b", in}, {"out", out[row]}});
    graph.setTileMapping(v, tile);
  }
  finish(times, graph, device, Execute(cs));
}

// A control program of that many copies and compute sets, one after another.
void steps(Times &times, unsigned count) {
  const Device device = machine(1, 64);
  Graph graph(device.getTarget());
  graph.addCodelets("simulator_codelets.cpp");
  times.start = now();
  const Tensor x = graph.addVariable(FLOAT, {64, 8}, "x"), y = graph.addVariable(FLOAT, {64, 8}, "y");
  const Tensor a = graph.addConstant(FLOAT, {}, 2.0f);
  graph.setTileMapping(a, 0);
  for (unsigned t = 0; t < 64; ++t) {
    graph.setTileMapping(x[t], t);
    graph.setTileMapping(y[t], t);
  }
  Sequence prog;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned tile = i % 64;
    const ComputeSet cs = graph.addComputeSet("cs" + std::to_string(i));
    const VertexRef v = graph.addVertex(cs, "Axpy", {{"x", x[tile]}, {"y", y[tile]}, {"a", a}, {"n", 8}});
    graph.setTileMapping(v, tile);
    prog.add(Execute(cs));
    prog.add(Copy(x[tile], y[(tile + 1) % 64]));
  }
  finish(times, graph, device, prog);
}

} // namespace

int main(int argc, char **argv) {
  const auto number = [&](int i) { return i < argc ? static_cast<unsigned>(std::atol(argv[i])) : 0; };
  Times times;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "axpy")
    axpy(times, number(2), number(3), number(4));
  else if (what == "matvec")
    matrixVector(times, number(2), number(3));
  else if (what == "steps")
    steps(times, number(2));
  else
    return 1;
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%g %g %g %g\n", times.built - times.start, times.compiled - times.built, times.ran - times.compiled,
              static_cast<double>(usage.ru_maxrss) / 1e6);
}
