#include "grid.hpp"

#include <algorithm>
#include <utility>

namespace dace_ipu {

namespace {

/// The rectangle that some intervals of a row-major matrix fill.
struct Box {
  std::size_t top, bottom, left, right;

  Box(const std::vector<poplar::Interval> &intervals, std::size_t width)
      : top(intervals.front().begin() / width), bottom((intervals.back().end() - 1) / width + 1),
        left(intervals.front().begin() % width), right((intervals.back().end() - 1) % width + 1) {}

  std::size_t size() const { return bottom > top && right > left ? (bottom - top) * (right - left) : 0; }

  /// Whether the intervals fill it and nothing else.
  bool isFilledBy(const std::vector<poplar::Interval> &intervals, std::size_t width) const {
    std::size_t elements = 0;
    for (const poplar::Interval &interval : intervals) {
      const bool wraps = interval.begin() / width != (interval.end() - 1) / width;
      const bool fits = interval.begin() % width >= left && (interval.end() - 1) % width < right;
      if (!fits || (wraps && (left != 0 || right != width)))
        return false;
      elements += interval.size();
    }
    return elements == size();
  }
};

void cutAt(std::vector<std::size_t> &cuts, std::size_t place) {
  const auto found = std::lower_bound(cuts.begin(), cuts.end(), place);
  if (found == cuts.end() || *found != place)
    cuts.insert(found, place);
}

} // namespace

Grid::Grid(const poplar::Graph &graph, const poplar::Tensor &matrix) {
  const std::size_t width = matrix.dim(1), numTiles = graph.getTarget().getNumTiles();
  const std::size_t fair = (matrix.numElements() + numTiles - 1) / numTiles;
  std::vector<std::pair<unsigned, Box>> boxes;
  const auto mapping = graph.getTileMapping(matrix);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const Box box(mapping[tile], width);
    if (!box.isFilledBy(mapping[tile], width) || box.size() > 2 * fair)
      return;
    boxes.emplace_back(tile, box);
    for (std::size_t row : {box.top, box.bottom})
      cutAt(rows, row);
    for (std::size_t column : {box.left, box.right})
      cutAt(columns, column);
  }
  if (boxes.size() < 2 || boxes.size() != (rows.size() - 1) * (columns.size() - 1))
    return;
  std::sort(boxes.begin(), boxes.end(), [](const auto &a, const auto &b) {
    return std::make_pair(a.second.top, a.second.left) < std::make_pair(b.second.top, b.second.left);
  });
  for (const auto &[tile, box] : boxes)
    tiles.push_back(tile);
}

} // namespace dace_ipu
