#include "vertices.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace popops::slice {

using namespace poplar;

namespace {

std::size_t product(const std::vector<std::size_t> &v) {
  return std::accumulate(v.begin(), v.end(), std::size_t(1), std::multiplies<std::size_t>());
}

std::vector<unsigned> narrow(const std::vector<std::size_t> &v) { return {v.begin(), v.end()}; }

} // namespace

std::size_t Window::rows() const { return product(shape); }
std::size_t Window::slots() const { return product(sizes); }

ComputeSet &Steps::operator[](std::size_t i) {
  if (steps_.size() <= i)
    steps_.resize(i + 1);
  if (steps_[i].empty())
    steps_[i].push_back(graph_.addComputeSet(debugContext_));
  return steps_[i].front();
}

void Steps::appendTo(program::Sequence &prog) const {
  for (const std::vector<ComputeSet> &step : steps_)
    for (const ComputeSet &cs : step)
      prog.add(program::Execute(cs, debugContext_));
}

std::size_t slicesAtATime(const Graph &graph, std::size_t bytes) {
  return std::max<std::size_t>(1, graph.getTarget().getBytesPerTile() / 8 / std::max<std::size_t>(1, bytes));
}

void setWindow(Graph &graph, const VertexRef &v, const Window &window, const Tensor &offsets, const Part &part,
               std::size_t cols) {
  graph.connect(v["offsets"], offsets.flatten());
  graph.setInitialValue(v["shape"], narrow(window.shape));
  graph.setInitialValue(v["sizes"], narrow(window.sizes));
  graph.setInitialValue(v["numSlices"], offsets.dim(0));
  graph.setInitialValue(v["slots"], window.slots());
  graph.setInitialValue(v["firstRow"], part.rows.begin());
  graph.setInitialValue(v["numRows"], part.rows.size());
  graph.setInitialValue(v["regionSize"], cols);
  graph.setInitialValue(v["remap"], window.remap);
  graph.setTileMapping(v, part.tile);
}

Type bitsOf(const Graph &graph, const Type &type) {
  const std::size_t size = graph.getTarget().getTypeSize(type);
  return size == 1 ? UNSIGNED_CHAR : size == 2 ? UNSIGNED_SHORT : size == 4 ? UNSIGNED_INT : UNSIGNED_LONGLONG;
}

Tensor createEvenTable(Graph &graph, const Type &type, std::size_t rows, std::size_t cols,
                       const DebugContext &debugContext) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const std::size_t colsPerTile = std::max<std::size_t>(1, (cols + tiles - 1) / tiles);
  const std::size_t blocks = std::max<std::size_t>(1, (cols + colsPerTile - 1) / colsPerTile);
  const std::size_t rowParts = std::max<std::size_t>(1, tiles / blocks);
  const std::size_t rowsPerTile = std::max<std::size_t>(1, (rows + rowParts - 1) / rowParts);
  return createTable(graph, type, rows, cols, rowsPerTile, colsPerTile, debugContext);
}

} // namespace popops::slice
