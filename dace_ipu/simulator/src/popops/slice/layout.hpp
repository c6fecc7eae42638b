// Where the rows of a sliced tensor lie. A tensor is seen as {rows, cols}: the flattened sliced dimensions, and all others.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace popops::slice {

/// Rows that a tile holds.
struct Part {
  unsigned tile;
  poplar::Interval rows;
  friend bool operator==(const Part &a, const Part &b) { return a.tile == b.tile && a.rows == b.rows; }
};

/// Adjacent columns whose rows are distributed alike. The parts cover all rows, in order.
struct Group {
  poplar::Interval cols;
  std::vector<Part> parts;
};

using Layout = std::vector<Group>;

/// The layout of a tensor of rank 2, or nothing if it is too scattered to have a vertex for each piece.
/// Throws poplar::invalid_tile_mapping if it is not mapped completely.
std::optional<Layout> layoutOf(const poplar::Graph &graph, const poplar::Tensor &table);

/// Columns in blocks of `colsPerTile`, rows in blocks of `rowsPerTile`, block after block on tiles 0, 1, ...
Layout blocked(std::size_t rows, std::size_t cols, std::size_t rowsPerTile, std::size_t colsPerTile);

/// A variable {rows, cols} mapped so, every block contiguous.
poplar::Tensor createTable(poplar::Graph &graph, const poplar::Type &type, std::size_t rows, std::size_t cols,
                           std::size_t rowsPerTile, std::size_t colsPerTile, const poplar::DebugContext &debugContext);

/// A variable {rows, cols} for slices of a table of this layout: columns where the table has them, rows shared out over
/// the tiles of a group.
poplar::Tensor createSlices(poplar::Graph &graph, const poplar::Type &type, std::size_t rows, const Layout &layout,
                            const poplar::DebugContext &debugContext);

} // namespace popops::slice
