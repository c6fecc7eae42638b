// Graph: tile mappings.
#include "../core/graph_core.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include "virtual_tiles.hpp"

#include <algorithm>

namespace poplar {

using dace_ipu_sim::Run;
using dace_ipu_sim::Variable;

namespace {

constexpr unsigned notInGraph = ~0u;

void requireTensor(const Tensor &t, const char *function) {
  if (!t.valid())
    throw invalid_tile_mapping(std::string(function) + ": the tensor is not valid (default constructed or moved from)");
}

std::string rangeText(std::size_t begin, std::size_t end) {
  return end - begin == 1 ? "element " + std::to_string(begin)
                          : "elements [" + std::to_string(begin) + "," + std::to_string(end) + ")";
}

// Where the elements of a tensor lie, in the order of the flattened tensor.
struct Placed {
  std::size_t begin;
  std::size_t end;
  unsigned tile; // noTile where nothing is mapped
};

void addPlaced(std::vector<Placed> &out, std::size_t begin, std::size_t end, unsigned tile) {
  if (begin == end)
    return;
  if (!out.empty() && out.back().end == begin && out.back().tile == tile)
    out.back().end = end;
  else
    out.push_back({begin, end, tile});
}

void placeRange(const Variable &v, std::size_t begin, std::size_t end, std::size_t at, std::vector<Placed> &out) {
  std::size_t next = begin;
  dace_ipu_sim::forRegionsIn(v.mapping.regions(), begin, end, [&](std::size_t b, std::size_t e, unsigned tile) {
    addPlaced(out, at + next - begin, at + b - begin, dace_ipu_sim::noTile);
    addPlaced(out, at + b - begin, at + e - begin, tile);
    next = e;
  });
  addPlaced(out, at + next - begin, at + end - begin, dace_ipu_sim::noTile);
}

// How many elements, `stride` apart from `begin` on, lie in [begin, end).
std::size_t stepsWithin(std::size_t begin, std::size_t end, std::ptrdiff_t stride) {
  return stride > 0 ? (end - begin - 1) / static_cast<std::size_t>(stride) + 1 : 1;
}

// All elements of a strided run up to the end of a region are placed at once: a column of a table may have millions.
void placeStrided(const Run &r, std::size_t at, std::vector<Placed> &out) {
  const auto &regions = r.var->mapping.regions();
  for (std::size_t i = 0, count; i < r.count; i += count) {
    const std::size_t b = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
    const auto region = std::upper_bound(regions.begin(), regions.end(), b,
                                         [](std::size_t element, const auto &other) { return element < other.end; });
    const bool isMapped = region != regions.end() && region->begin <= b;
    count = std::min(isMapped ? stepsWithin(b, region->end, r.stride) : 1, r.count - i);
    addPlaced(out, at + i, at + i + count, isMapped ? region->tile : dace_ipu_sim::noTile);
  }
}

std::vector<Placed> placesOf(const Tensor &t) {
  std::vector<Placed> out;
  std::size_t at = 0;
  dace_ipu_sim::forEachRun(*t.view(), [&](const Run &r) {
    if (r.contiguous())
      placeRange(*r.var, r.offset, r.offset + r.count, at, out);
    else
      placeStrided(r, at, out);
    at += r.count;
  });
  return out;
}

void assignAll(const dace_ipu_sim::View &view, dace_ipu_sim::GraphCore &graph, unsigned tile) {
  dace_ipu_sim::forEachRunUnordered(view, [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step) {
      const std::size_t b = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      graph.variables[r.var->id].mapping.assign(b, b + step, tile);
    }
  });
}

// Intervals of one length at one distance in a flattened tensor: the rows of a block, if the distance is that of rows.
struct Rows {
  std::size_t begin;
  std::size_t length;
  std::size_t distance;
  std::size_t count;

  // Whether a table of rows of that distance has them as a rectangle.
  bool areRectangle(std::size_t elements) const {
    return count > 1 && elements % distance == 0 && begin % distance + length <= distance;
  }
};

Rows rowsFrom(const std::vector<Interval> &intervals, std::size_t first) {
  Rows rows{intervals[first].begin(), intervals[first].size(), 0, 1};
  for (std::size_t i = first + 1; i < intervals.size(); ++i, ++rows.count) {
    const std::size_t previous = intervals[i - 1].begin();
    if (intervals[i].begin() <= previous || intervals[i].size() != rows.length ||
        (rows.count > 1 && intervals[i].begin() - previous != rows.distance))
      break;
    rows.distance = intervals[i].begin() - previous;
  }
  return rows;
}

void assignRows(const Tensor &flat, const Rows &rows, dace_ipu_sim::GraphCore &graph, unsigned tile) {
  if (rows.areRectangle(flat.numElements())) {
    // As one view: its elements can be assigned in the order in which they lie in memory, which in a transposed tensor
    // is not that of the intervals.
    const std::size_t row = rows.begin / rows.distance, column = rows.begin % rows.distance;
    const Tensor table = flat.reshape({flat.numElements() / rows.distance, rows.distance});
    assignAll(*table.slice({row, column}, {row + rows.count, column + rows.length}).view(), graph, tile);
    return;
  }
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::size_t begin = rows.begin + i * rows.distance;
    assignAll(*dace_ipu_sim::sliceView(flat.view(), 0, begin, begin + rows.length), graph, tile);
  }
}

} // namespace

void Graph::setTileMapping(VertexRef v, unsigned tileNum) {
  dace_ipu_sim::Vertex &vertex = core_->vertex(v.getId());
  vertex.tile = topLevelTile(tileNum, "setTileMapping of " + vertex.type->name);
}

void Graph::setTileMapping(const Tensor &t, unsigned tileNum) {
  requireTensor(t, "setTileMapping");
  const bool exists = tileNum < getTarget().getNumTiles();
  assignAll(*t.view(), *core_, topLevelTile(tileNum, exists ? "" : "setTileMapping of " + t.getDebugStr()));
}

void Graph::setTileMapping(const Tensor &t, const TileToTensorMapping &mapping) {
  requireTensor(t, "setTileMapping");
  const Tensor flat = t.flatten();
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const unsigned top = topLevelTile(static_cast<unsigned>(tile), "setTileMapping of " + t.getDebugStr());
    for (const Interval &i : mapping[tile])
      if (i.begin() > i.end() || i.end() > flat.numElements())
        throw invalid_tile_mapping("setTileMapping of " + t.getDebugStr() + ": " + rangeText(i.begin(), i.end()) +
                                   " out of range");
    for (std::size_t i = 0; i < mapping[tile].size();) {
      const Rows rows = rowsFrom(mapping[tile], i);
      assignRows(flat, rows, *core_, top);
      i += rows.count;
    }
  }
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool *isComplete, bool) const {
  requireTensor(t, "getTileMapping");
  std::vector<unsigned> fromTop;
  if (virtualTiles_) {
    fromTop.assign(core_->target.getNumTiles(), notInGraph);
    for (unsigned i = 0; i < virtualTiles_->toTop.size(); ++i)
      fromTop[virtualTiles_->toTop[i]] = i;
  }
  TileToTensorMapping result(getTarget().getNumTiles());
  bool complete = true;
  for (const Placed &p : placesOf(t)) {
    const unsigned tile = p.tile == dace_ipu_sim::noTile || !virtualTiles_ ? p.tile : fromTop[p.tile];
    if (tile == dace_ipu_sim::noTile)
      complete = false;
    else
      result[tile].emplace_back(p.begin, p.end);
  }
  if (isComplete)
    *isComplete = complete;
  return result;
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool requireComplete, bool) const {
  bool complete = true;
  TileToTensorMapping result = getTileMapping(t, &complete);
  if (complete || !requireComplete)
    return result;
  for (const Placed &p : placesOf(t))
    if (p.tile == dace_ipu_sim::noTile)
      throw invalid_tile_mapping("getTileMapping: " + rangeText(p.begin, p.end) + " of " + t.getDebugStr() +
                                 " are not mapped to any tile");
  throw invalid_tile_mapping("getTileMapping: some elements of " + t.getDebugStr() +
                             " are on tiles outside the virtual graph");
}

Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor &t) const { return getTileMapping(t, false); }

} // namespace poplar
