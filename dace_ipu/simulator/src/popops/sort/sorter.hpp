// Sorting of rows over many tiles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popops::sorting {

/// Sorted rows: keys {rows, k} and the index of each in its row, UNSIGNED_INT of the same shape.
struct Sorted {
  poplar::Tensor keys, from;
};

/// Appends what finds the first `k` of every row of `keys` {rows, n}: the smallest, or the largest with `descending`, in
/// this order. Equal keys keep their order.
///
/// Rows are dealt out to tiles. If there are more tiles than rows, a row is cut into blocks: each is sorted on its own
/// tile; then, if k is small, the first k of each are sorted again, else the blocks go through Batcher's merge exchange
/// network, in which two tiles with a block each end up with the lower and the upper half of both.
Sorted sortRows(poplar::Graph &graph, const poplar::Tensor &keys, std::size_t k, bool descending,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

/// Elements `from` of the rows of `values` {rows, n}: {rows, k}.
poplar::Tensor permuteRows(poplar::Graph &graph, const poplar::Tensor &values, const poplar::Tensor &from,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace popops::sorting
