#include "turned_blocks.hpp"

#include "grid.hpp"

#include <dace_ipu/perf.hpp>
#include <dace_ipu/rows.hpp>

#include <cstdint>
#include <sstream>

namespace dace_ipu {

namespace {

using poplar::Tensor;

/// Four rows at a time: a column's pointer is loaded once for them.
const char *const codelet = R"(#include <poplar/Vertex.hpp>

namespace dace_ipu {

// columns[k][i] = rows[i][k]. A worker takes four rows at a time, the last one what is left.
class Turn : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>>> rows;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>>> columns;
  unsigned numRows, numColumns;

  bool compute(unsigned worker) {
    const unsigned quads = numRows / 4, count = numColumns;
    for (unsigned quad = worker; quad < quads; quad += numWorkers()) {
      const unsigned i = 4 * quad;
      const float *a = &rows[i][0], *b = &rows[i + 1][0], *c = &rows[i + 2][0], *d = &rows[i + 3][0];
      for (unsigned k = 0; k < count; ++k) {
        float *column = &columns[k][i];
        const float first = a[k], second = b[k], third = c[k], fourth = d[k];
        column[0] = first;
        column[1] = second;
        column[2] = third;
        column[3] = fourth;
      }
    }
    if (worker == numWorkers() - 1) {
      for (unsigned i = 4 * quads; i < numRows; ++i)
        for (unsigned k = 0; k < count; ++k)
          columns[k][i] = rows[i][k];
    }
    return true;
  }
};

} // namespace dace_ipu
)";

void addCodeletOnce(poplar::Graph &graph) {
  if (graph.hasCodelet("dace_ipu::Turn"))
    return;
  std::stringstream source(codelet);
  graph.addCodelets(source, "-O3");
}

void addVertex(poplar::Graph &graph, poplar::ComputeSet computeSet, const Tensor &block, const Tensor &turned,
               unsigned tile) {
  const poplar::VertexRef vertex = graph.addVertex(computeSet, "dace_ipu::Turn");
  graph.setTileMapping(vertex, tile);
  graph.connect(vertex["rows"], rows(block));
  graph.connect(vertex["columns"], rows(turned));
  graph.setInitialValue(vertex["numRows"], static_cast<unsigned>(block.dim(0)));
  graph.setInitialValue(vertex["numColumns"], static_cast<unsigned>(block.dim(1)));
  graph.setPerfEstimate(vertex, multiVertexCycles(static_cast<std::int64_t>(3 * block.numElements())));
}

} // namespace

Tensor turnedBlocks(poplar::Graph &graph, poplar::program::Sequence &sequence, const Tensor &matrix,
                    const std::string &name) {
  const Tensor turned = graph.addVariable(matrix.elementType(), {matrix.dim(1), matrix.dim(0)}, name);
  graph.setTileMapping(turned.transpose(), graph.getTileMapping(matrix));
  const Grid grid = matrix.elementType() == poplar::FLOAT ? Grid(graph, matrix) : Grid();
  if (grid.tiles.empty()) {
    sequence.add(poplar::program::Copy(matrix.transpose(), turned));
    return turned;
  }
  addCodeletOnce(graph);
  const poplar::ComputeSet computeSet = graph.addComputeSet(name);
  const std::size_t down = grid.rows.size() - 1, beside = grid.columns.size() - 1;
  for (std::size_t i = 0; i < down; ++i) {
    for (std::size_t j = 0; j < beside; ++j) {
      const poplar::Interval rows(grid.rows[i], grid.rows[i + 1]), columns(grid.columns[j], grid.columns[j + 1]);
      addVertex(graph, computeSet, matrix.slice(rows, 0).slice(columns, 1), turned.slice(columns, 0).slice(rows, 1),
                grid.tiles[i * beside + j]);
    }
  }
  sequence.add(poplar::program::Execute(computeSet));
  return turned;
}

} // namespace dace_ipu
