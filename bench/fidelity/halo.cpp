// Ten iterations of two steps of a stencil on 1216 tiles of a modelled Mk1, a block of 100 x 100 on each; every vertex claims
// 100 cycles, so that the rest is what exchange and sync cost. The four sides and corners are fields of their own.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <string>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t rows = 38, columns = 32, size = 100;

// Elements of the block at (row, column), shifted by `down` and `right`; beyond the grid it goes on at the other end.
Tensor at(const Tensor &grid, std::size_t row, std::size_t column, std::size_t r, std::size_t c, std::size_t h,
          std::size_t w) {
  const std::size_t top = (row % rows) * size + r, left = (column % columns) * size + c;
  return grid.slice({top, left}, {top + h, left + w}).flatten();
}

void addStencil(Graph &graph, ComputeSet step, const Tensor &from, const Tensor &to, std::size_t r, std::size_t c) {
  const VertexRef v = graph.addVertex(step, "Stencil");
  const std::size_t up = r + rows - 1, down = r + 1, left = c + columns - 1, right = c + 1, last = size - 1;
  graph.setTileMapping(v, static_cast<unsigned>(r * columns + c));
  graph.setPerfEstimate(v, 100);
  graph.connect(v["in"], from.slice({r * size, c * size}, {(r + 1) * size, (c + 1) * size}));
  graph.connect(v["out"], to.slice({r * size, c * size}, {(r + 1) * size, (c + 1) * size}));
  graph.connect(v["n"], at(from, up, c, last, 0, 1, size));
  graph.connect(v["s"], at(from, down, c, 0, 0, 1, size));
  graph.connect(v["w"], at(from, r, left, 0, last, size, 1));
  graph.connect(v["e"], at(from, r, right, 0, 0, size, 1));
  graph.connect(v["nw"], at(from, up, left, last, last, 1, 1)[0]);
  graph.connect(v["ne"], at(from, up, right, last, 0, 1, 1)[0]);
  graph.connect(v["sw"], at(from, down, left, 0, last, 1, 1)[0]);
  graph.connect(v["se"], at(from, down, right, 0, 0, 1, 1)[0]);
}

} // namespace

int main() {
  IPUModel model("ipu1");
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(std::string(FIDELITY_SOURCES) + "/halo_codelets.cpp");
  const Tensor a = graph.addVariable(FLOAT, {rows * size, columns * size}, "a");
  const Tensor b = graph.addVariable(FLOAT, {rows * size, columns * size}, "b");
  const ComputeSet there = graph.addComputeSet("there"), back = graph.addComputeSet("back");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      for (const Tensor &t : {a, b})
        graph.setTileMapping(t.slice({r * size, c * size}, {(r + 1) * size, (c + 1) * size}),
                             static_cast<unsigned>(r * columns + c));
      addStencil(graph, there, a, b, r, c);
      addStencil(graph, back, b, a, r, c);
    }
  Engine engine(graph, Repeat(10, Sequence({Execute(there), Execute(back)})));
  engine.load(device);
  engine.run();
}
