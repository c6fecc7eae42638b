// The kernels of the STREAM benchmark on a Mk1, one vertex a worker:
//   stream <Copy|Mul|Add|Triad|Dot> <elements>
// The dot product adds up the sums of the workers on their tile, then those of the tiles on one.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t workers = 6;

class Stream {
public:
  Stream(const Target &target, std::size_t elements)
      : graph(target), tiles(target.getNumTiles()), a(variable("a", elements)), b(variable("b", elements)),
        c(variable("c", elements)), sums(variable("sums", tiles * workers)), tileSums(variable("tileSums", tiles)),
        sum(graph.addVariable(FLOAT, {1}, "sum")) {
    graph.addCodelets(std::string(FIDELITY_SOURCES) + "/stream_codelets.cpp");
    graph.setTileMapping(sum, 0);
  }

  // In equal parts over the tiles.
  Tensor variable(const char *name, std::size_t elements) {
    const Tensor t = graph.addVariable(FLOAT, {elements}, name);
    for (std::size_t i = 0; i < tiles; ++i)
      graph.setTileMapping(part(t, tiles, i), static_cast<unsigned>(i));
    return t;
  }

  static Tensor part(const Tensor &t, std::size_t n, std::size_t i) {
    return t.slice(i * t.numElements() / n, (i + 1) * t.numElements() / n);
  }

  VertexRef add(ComputeSet cs, const std::string &codelet, std::size_t tile, const Tensor &in) {
    const VertexRef v = graph.addVertex(cs, codelet);
    graph.setTileMapping(v, static_cast<unsigned>(tile));
    graph.setInitialValue(v["size"], static_cast<unsigned>(in.numElements()));
    return v;
  }

  void kernel(const std::string &codelet) {
    const std::vector<std::pair<const char *, Tensor>> fields{{"a", a}, {"b", b}, {"c", c}};
    const ComputeSet cs = graph.addComputeSet(codelet);
    for (std::size_t i = 0; i < tiles * workers; ++i) {
      const VertexRef v = add(cs, codelet, i / workers, part(part(a, tiles, i / workers), workers, i % workers));
      const std::string uses = codelet == "Copy" ? "ac" : codelet == "Mul" ? "bc" : codelet == "Dot" ? "ab" : "abc";
      for (const auto &field : fields)
        if (uses.find(field.first) != std::string::npos)
          graph.connect(v[field.first], part(part(field.second, tiles, i / workers), workers, i % workers));
      if (codelet == "Dot")
        graph.connect(v["sum"], sums[i]);
    }
    program.add(Execute(cs));
  }

  void reduce(const char *name, const Tensor &from, const Tensor &to) {
    const ComputeSet cs = graph.addComputeSet(name);
    for (std::size_t i = 0; i < to.numElements(); ++i) {
      const Tensor in = part(from, to.numElements(), i);
      const VertexRef v = add(cs, "Sum", i, in);
      graph.connect(v["partials"], in);
      graph.connect(v["sum"], to[i]);
    }
    program.add(Execute(cs));
  }

  Graph graph;
  std::size_t tiles;
  Tensor a, b, c, sums, tileSums, sum;
  Sequence program;
};

} // namespace

int main(int, char **argv) {
  const Target target = Target::createIPUTarget(1, "ipu1");
  Stream stream(target, std::stoul(argv[2]));
  const std::string codelet = argv[1];
  stream.kernel(codelet);
  if (codelet == "Dot") {
    stream.reduce("sum of a tile", stream.sums, stream.tileSums);
    stream.reduce("sum of all", stream.tileSums, stream.sum);
  }
  Engine engine(stream.graph, stream.program);
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
}
