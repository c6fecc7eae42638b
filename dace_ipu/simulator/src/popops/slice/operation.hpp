// Slices and updates of tables: what dynamicSlice, multiSlice and their relatives have in common.
#pragma once

#include "layout.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popops::slice {

/// What one slice is: lengths `sizes` of the sliced dimensions `shape`.
struct Window {
  std::vector<std::size_t> shape, sizes;
  bool remap = false;

  std::size_t rows() const; ///< rows of the table
  std::size_t slots() const; ///< rows of a slice
};

/// One table and the slices of it: table {rows, cols}, slices {n * slots, cols}, offsets {n, dims} of UNSIGNED_INT.
struct Job {
  poplar::Tensor table, slices, offsets;
};

/// How a slice changes the table.
enum class Update { REPLACE, ADD, MUL, MAX };

/// Appends programs that read the slices of all jobs. Rows that several tiles hold are read in two stages: every tile
/// copies what it has, then the tiles of the slices combine that.
void read(poplar::Graph &graph, const std::vector<Job> &jobs, const Window &window, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext);

/// Appends programs that apply the slices of all jobs to their tables. Every tile updates what it holds. `scale` is a
/// single element, for ADD only.
void update(poplar::Graph &graph, const std::vector<Job> &jobs, const Window &window, Update operation,
            const poplar::Tensor &scale, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

/// The unsigned type of the size of a type: codelets that move data know sizes only.
poplar::Type bitsOf(const poplar::Graph &graph, const poplar::Type &type);

/// A table {rows, cols} for anything that is sliced: whole columns on a tile, spread evenly.
poplar::Tensor createEvenTable(poplar::Graph &graph, const poplar::Type &type, std::size_t rows, std::size_t cols,
                               const poplar::DebugContext &debugContext);

} // namespace popops::slice
