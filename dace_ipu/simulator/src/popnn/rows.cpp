#include "rows.hpp"

#include <algorithm>

namespace popnn::internal {

using namespace poplar;

namespace {

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

constexpr std::size_t smallestSegment = 16, segmentGrain = 4; // whole 64 bits of either type

} // namespace

RowUnits::RowUnits(const Graph &graph, std::size_t rows, std::size_t columns, bool wholeRows)
    : rows(rows), columns(columns), tiles(graph.getTarget().getNumTiles()) {
  const std::size_t workers = std::size_t(tiles) * graph.getTarget().getNumWorkerContexts();
  rowsPerUnit = std::max<std::size_t>(1, ceilDiv(rows, workers));
  if (rowsPerUnit == 1 && rows > 0 && !wholeRows)
    segments = std::clamp<std::size_t>(columns / smallestSegment, 1, workers / rows);
}

Interval RowUnits::rowsOf(std::size_t unit) const {
  const std::size_t group = unit / segments;
  return {group * rowsPerUnit, std::min(rows, (group + 1) * rowsPerUnit)};
}

Interval RowUnits::columnsOf(std::size_t unit) const {
  const std::size_t s = unit % segments, pieces = columns / segmentGrain;
  const std::size_t end = s + 1 == segments ? columns : (s + 1) * pieces / segments * segmentGrain;
  return {s * pieces / segments * segmentGrain, end};
}

Tensor RowUnits::of(const Tensor &t, std::size_t unit) const {
  return t.slice(rowsOf(unit), 0).slice(columnsOf(unit), 1).flatten();
}

Tensor RowUnits::statisticsOf(const Tensor &t, std::size_t unit) const { return t.slice(rowsOf(unit), 0).flatten(); }

Tensor RowUnits::ownStatistics(const Tensor &t, std::size_t unit) const {
  const std::size_t s = unit % segments;
  return t.slice(rowsOf(unit), 0).slice(s, s + 1, 1).flatten();
}

Tensor RowUnits::createStatistics(Graph &graph, const Type &type, std::size_t width, const DebugContext &dc) const {
  const Tensor t = graph.addVariable(type, {rows, segments, width}, dc);
  for (std::size_t unit = 0; unit < count(); ++unit)
    graph.setTileMapping(ownStatistics(t, unit), tile(unit));
  return t;
}

void RowUnits::addVertices(Graph &graph, ComputeSet cs, const std::string &vertex,
                           const std::function<void(const VertexRef &, std::size_t)> &connect) const {
  for (std::size_t unit = 0; unit < count(); ++unit) {
    const VertexRef v = graph.addVertex(cs, vertex);
    graph.setInitialValue(v["rows"], rowsOf(unit).size());
    graph.setInitialValue(v["columns"], columnsOf(unit).size());
    connect(v, unit);
    graph.setTileMapping(v, tile(unit));
  }
}

Tensor asRows(const Tensor &t) {
  const std::size_t columns = t.dim(t.rank() - 1);
  std::size_t rows = 1;
  for (unsigned d = 0; d + 1 < t.rank(); ++d)
    rows *= t.dim(d);
  return t.reshape({rows, columns});
}

} // namespace popnn::internal
