// Matrices whose rows are worked on one by one, whole or in segments.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace popnn::internal {

/// How a [rows, columns] matrix is shared out to vertices: units of several whole rows, or of a segment of one row if there are
/// fewer rows than workers on the machine. Unit u is the work of one vertex on tile `tile(u)`; as the units are in row-major order,
/// a linearly mapped matrix is mostly worked on where it is.
struct RowUnits {
  std::size_t rows, columns;
  std::size_t rowsPerUnit = 1, segments = 1;
  unsigned tiles;

  /// With `wholeRows` no row is cut.
  RowUnits(const poplar::Graph &graph, std::size_t rows, std::size_t columns, bool wholeRows = false);

  std::size_t count() const { return (rows + rowsPerUnit - 1) / rowsPerUnit * segments; }
  unsigned tile(std::size_t unit) const { return static_cast<unsigned>(unit * tiles / count()); }
  poplar::Interval rowsOf(std::size_t unit) const;
  poplar::Interval columnsOf(std::size_t unit) const;
  /// The elements of a unit, flattened.
  poplar::Tensor of(const poplar::Tensor &t, std::size_t unit) const;
  /// What all units of the same rows left in a [rows, segments, ...] tensor, flattened.
  poplar::Tensor statisticsOf(const poplar::Tensor &t, std::size_t unit) const;
  /// What this unit leaves there.
  poplar::Tensor ownStatistics(const poplar::Tensor &t, std::size_t unit) const;
  /// A [rows, segments, width] tensor, each unit's part on its tile.
  poplar::Tensor createStatistics(poplar::Graph &graph, const poplar::Type &type, std::size_t width,
                                  const poplar::DebugContext &debugContext) const;

  /// Adds a vertex for each unit: `connect` its fields; rows, columns and the tile are set here.
  void addVertices(poplar::Graph &graph, poplar::ComputeSet cs, const std::string &vertex,
                   const std::function<void(const poplar::VertexRef &, std::size_t unit)> &connect) const;
};

/// [rows, columns] for a tensor of any rank above zero: the last dimension is that of the columns.
poplar::Tensor asRows(const poplar::Tensor &t);

} // namespace popnn::internal
