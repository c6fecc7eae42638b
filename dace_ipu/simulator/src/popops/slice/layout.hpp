// Where the rows of a sliced tensor lie. A tensor is seen as {rows, cols}: the flattened sliced dimensions, and all others.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace popops::slice {

/// A piece of the tensor that a tile holds.
struct Rectangle {
  unsigned tile;
  poplar::Interval rows, cols;
};

/// Rows that a tile holds, of some columns.
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

/// All pieces of a tensor of rank 2 that is not empty. Throws poplar::invalid_tile_mapping if some element has no tile.
std::vector<Rectangle> rectanglesOf(const poplar::Graph &graph, const poplar::Tensor &table);

/// How many pieces, or pieces of groups, are few enough to have a vertex each.
std::size_t mostPieces(const poplar::Graph &graph);

/// The columns in groups, or nothing if that would cut the rectangles into more than mostPieces pieces.
std::optional<Layout> groupsOf(const poplar::Graph &graph, const std::vector<Rectangle> &rectangles);

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
