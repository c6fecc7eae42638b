#include "layout.hpp"

#include <algorithm>

namespace popops::slice {

using namespace poplar;

namespace {

// Cuts intervals of a flattened {major, minor} view into rectangles, each one piece of one major index or whole ones.
template <typename Add> void cut(const std::vector<Interval> &intervals, std::size_t minor, const Add &add) {
  for (const Interval &interval : intervals)
    for (std::size_t at = interval.begin(); at < interval.end();) {
      const std::size_t first = at / minor, offset = at % minor, left = interval.end() - at;
      const std::size_t whole = offset == 0 ? left / minor : 0;
      const std::size_t length = std::min(left, minor - offset);
      add({first, first + std::max<std::size_t>(whole, 1)}, whole ? Interval(0, minor) : Interval(offset, offset + length));
      at += whole ? whole * minor : length;
    }
}

// Joins neighbouring major indices with the same minor interval.
std::vector<std::pair<Interval, Interval>> merged(std::vector<std::pair<Interval, Interval>> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const auto &a, const auto &b) {
    return std::tuple(a.second.begin(), a.second.end(), a.first.begin()) <
           std::tuple(b.second.begin(), b.second.end(), b.first.begin());
  });
  std::vector<std::pair<Interval, Interval>> result;
  for (const auto &piece : pieces)
    if (!result.empty() && result.back().second == piece.second && result.back().first.end() == piece.first.begin())
      result.back().first = {result.back().first.begin(), piece.first.end()};
    else
      result.push_back(piece);
  return result;
}

std::size_t pieces(const Graph &graph, const Tensor &line) {
  std::size_t n = 0;
  for (const auto &intervals : graph.getTileMapping(line))
    n += intervals.size();
  return n;
}

std::vector<std::size_t> columnBreaks(const std::vector<Rectangle> &rectangles) {
  std::vector<std::size_t> breaks;
  for (const Rectangle &r : rectangles) {
    breaks.push_back(r.cols.begin());
    breaks.push_back(r.cols.end());
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  return breaks;
}

std::size_t indexOf(const std::vector<std::size_t> &breaks, std::size_t col) {
  return static_cast<std::size_t>(std::lower_bound(breaks.begin(), breaks.end(), col) - breaks.begin());
}

// Sorts the parts by rows and joins neighbours on one tile.
void tidy(std::vector<Part> &parts) {
  std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) { return a.rows.begin() < b.rows.begin(); });
  std::vector<Part> result;
  for (const Part &part : parts)
    if (!result.empty() && result.back().tile == part.tile && result.back().rows.end() == part.rows.begin())
      result.back().rows = {result.back().rows.begin(), part.rows.end()};
    else
      result.push_back(part);
  parts = std::move(result);
}

} // namespace

// By rows or by columns, whichever promises fewer intervals: a mapping of either may have millions.
std::vector<Rectangle> rectanglesOf(const Graph &graph, const Tensor &table) {
  const std::size_t rows = table.dim(0), cols = table.dim(1);
  const bool byRow = pieces(graph, table[0]) * rows <= pieces(graph, table.slice(0, 1, 1).flatten()) * cols;
  const Tensor flat = (byRow ? table : table.transpose()).flatten();
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flat);
  std::vector<Rectangle> result;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::vector<std::pair<Interval, Interval>> found;
    cut(mapping[tile], byRow ? cols : rows, [&](Interval major, Interval minor) { found.emplace_back(major, minor); });
    for (const auto &[major, minor] : merged(std::move(found)))
      result.push_back({tile, byRow ? major : minor, byRow ? minor : major});
  }
  return result;
}

std::size_t mostPieces(const Graph &graph) { return 8 * std::size_t(graph.getTarget().getNumTiles()) + 64; }

std::optional<Layout> groupsOf(const Graph &graph, const std::vector<Rectangle> &all) {
  const std::vector<std::size_t> breaks = columnBreaks(all);
  std::size_t total = 0;
  for (const Rectangle &r : all)
    total += indexOf(breaks, r.cols.end()) - indexOf(breaks, r.cols.begin());
  if (total > mostPieces(graph))
    return std::nullopt;

  std::vector<std::vector<Part>> parts(breaks.size() - 1);
  for (const Rectangle &r : all)
    for (std::size_t i = indexOf(breaks, r.cols.begin()); breaks[i] < r.cols.end(); ++i)
      parts[i].push_back({r.tile, r.rows});
  Layout layout;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tidy(parts[i]);
    if (!layout.empty() && layout.back().parts == parts[i])
      layout.back().cols = {layout.back().cols.begin(), breaks[i + 1]};
    else
      layout.push_back({{breaks[i], breaks[i + 1]}, std::move(parts[i])});
  }
  return layout;
}

Layout blocked(std::size_t rows, std::size_t cols, std::size_t rowsPerTile, std::size_t colsPerTile) {
  Layout layout;
  unsigned tile = 0;
  for (std::size_t col = 0; col < cols; col += colsPerTile) {
    layout.push_back({{col, std::min(cols, col + colsPerTile)}, {}});
    for (std::size_t row = 0; row < rows; row += rowsPerTile)
      layout.back().parts.push_back({tile++, {row, std::min(rows, row + rowsPerTile)}});
  }
  return layout;
}

Tensor createTable(Graph &graph, const Type &type, std::size_t rows, std::size_t cols, std::size_t rowsPerTile,
                   std::size_t colsPerTile, const DebugContext &debugContext) {
  const Tensor flat = graph.addVariable(type, {rows * cols}, debugContext);
  std::vector<Tensor> blocks;
  for (const Group &group : blocked(rows, cols, rowsPerTile, colsPerTile)) {
    const Tensor piece = flat.slice(rows * group.cols.begin(), rows * group.cols.end());
    blocks.push_back(piece.reshape({rows, group.cols.size()}));
    for (const Part &part : group.parts)
      graph.setTileMapping(blocks.back().slice(part.rows), part.tile);
  }
  return blocks.empty() ? flat.reshape({rows, cols}) : concat(blocks, 1);
}

Tensor createSlices(Graph &graph, const Type &type, std::size_t rows, const Layout &layout,
                    const DebugContext &debugContext) {
  const std::size_t cols = layout.empty() ? 0 : layout.back().cols.end();
  const std::size_t least = std::max<std::size_t>(1, 64 / graph.getTarget().getTypeSize(type)); // 64 bytes a tile
  const Tensor flat = graph.addVariable(type, {rows * cols}, debugContext);
  std::vector<Tensor> blocks;
  for (const Group &group : layout) {
    const Tensor piece = flat.slice(rows * group.cols.begin(), rows * group.cols.end());
    const std::size_t n = piece.numElements();
    const std::size_t shares = std::max<std::size_t>(1, std::min(group.parts.size(), (n + least - 1) / least));
    for (std::size_t i = 0; i < shares; ++i)
      graph.setTileMapping(piece.slice(n * i / shares, n * (i + 1) / shares), group.parts[i].tile);
    blocks.push_back(piece.reshape({rows, group.cols.size()}));
  }
  return blocks.empty() ? flat.reshape({rows, cols}) : concat(blocks, 1);
}

} // namespace popops::slice
