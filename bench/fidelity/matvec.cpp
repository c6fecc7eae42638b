// A matrix of 10000 x 1000 times a vector on a Mk2: rows are cut in seven, vertices are dealt out evenly, partial sums are
// added up by one vertex a row.
//   matvec <model|hardware>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t rows = 10000, columns = 1000, parts = 7;

Device deviceOf(const std::string &kind) {
  if (kind == "hardware")
    return Device::createSimulatorDevice(Target::createIPUTarget(1, "ipu2"));
  return IPUModel("ipu2").createDevice();
}

struct MatVec {
  explicit MatVec(const Device &device) : graph(device.getTarget()), tiles(graph.getTarget().getNumTiles()) {
    graph.addCodelets(std::string(FIDELITY_SOURCES) + "/matvec_codelets.cpp");
    matrix = graph.addVariable(FLOAT, {rows, columns}, "matrix");
    in = graph.addVariable(FLOAT, {columns}, "in");
    out = graph.addVariable(FLOAT, {rows}, "out");
    partials = graph.addVariable(FLOAT, {rows, parts}, "partials");
    for (std::size_t i = 0; i < columns; ++i)
      graph.setTileMapping(in[i], static_cast<unsigned>(i * tiles / columns));
  }

  ComputeSet multiply() {
    const ComputeSet cs = graph.addComputeSet("multiply");
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t begin = p * columns / parts, end = (p + 1) * columns / parts;
        const Tensor share = matrix[r].slice(begin, end), sum = partials[r][p];
        const auto tile = static_cast<unsigned>((p * rows + r) * tiles / (parts * rows));
        for (const Tensor &t : {share, sum})
          graph.setTileMapping(t, tile);
        add(cs, "Dot", tile, {{"a", share}, {"b", in.slice(begin, end)}, {"out", sum}}, 5 + (end - begin + 1) / 2);
      }
    return cs;
  }

  ComputeSet addUp() {
    const ComputeSet cs = graph.addComputeSet("addUp");
    for (std::size_t r = 0; r < rows; ++r) {
      const auto tile = static_cast<unsigned>(r * tiles / rows);
      graph.setTileMapping(out[r], tile);
      add(cs, "Sum", tile, {{"in", partials[r]}, {"out", out[r]}}, 5 + (parts + 1) / 2);
    }
    return cs;
  }

  void add(ComputeSet cs, const char *codelet, unsigned tile, const std::vector<ConnectionDesc> &fields,
           std::size_t cycles) {
    const VertexRef v = graph.addVertex(cs, codelet, fields);
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, cycles);
  }

  Graph graph;
  std::size_t tiles;
  Tensor matrix, in, out, partials;
};

} // namespace

int main(int, char **argv) {
  const Device device = deviceOf(argv[1]);
  MatVec m(device);
  const auto matrixIn = m.graph.addHostToDeviceFIFO("matrix", FLOAT, rows * columns);
  const auto vectorIn = m.graph.addHostToDeviceFIFO("vector", FLOAT, columns);
  const auto vectorOut = m.graph.addDeviceToHostFIFO("result", FLOAT, rows);
  Sequence program({Copy(matrixIn, m.matrix), Copy(vectorIn, m.in)});
  program.add(Execute(m.multiply()));
  program.add(Execute(m.addUp()));
  program.add(Copy(m.out, vectorOut));
  std::vector<float> matrix(rows * columns, 0.5f), vector(columns, 2), result(rows);
  Engine engine(m.graph, program);
  engine.connectStream("matrix", matrix.data());
  engine.connectStream("vector", vector.data());
  engine.connectStream("result", result.data());
  engine.load(device);
  engine.run();
  return result == std::vector<float>(rows, columns) ? 0 : 1;
}
