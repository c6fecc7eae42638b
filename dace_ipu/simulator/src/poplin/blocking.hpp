// Tensors that are stored block by block, as matrix products cut them over tiles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace poplin::internal {

inline std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// A dimension cut into parts of equal size; the last one may be smaller.
struct Split {
  std::size_t total = 0, part = 1;
  std::size_t count() const { return ceilDiv(total, part); }
  poplar::Interval range(std::size_t i) const {
    return {std::min(total, i * part), std::min(total, (i + 1) * part)};
  }
};

/// Which block of a [groups, rows, columns] tensor.
struct BlockIndex {
  std::size_t group, row, column;
};

/// A [groups, rows, columns] tensor cut into blocks. In a block the columns are in groups of `grain`, the last of which
/// may be narrower: its elements are stored as [groups][columns / grain][rows][grain].
struct Blocking {
  Split group, row, column;
  std::size_t grain = 1;

  /// Applies `f` to all blocks in the order in which they are stored.
  void forEach(const std::function<void(const BlockIndex &)> &f) const;
  /// The elements of a block in stored order, from a tensor of any layout. Rank 1.
  poplar::Tensor block(const poplar::Tensor &t, const BlockIndex &i) const;
  /// Whether every block of the tensor is one contiguous range.
  bool isStoredIn(const poplar::Tensor &t) const;
  /// A new variable, seen as [groups, rows, columns]. Block i is shared out evenly to the tiles `holders(i)`.
  poplar::Tensor create(poplar::Graph &graph, const poplar::Type &type,
                        const std::function<std::vector<unsigned>(const BlockIndex &)> &holders,
                        const poplar::DebugContext &debugContext) const;
};

/// Part i of `parts` of n elements in pieces of 8, at least: what tile i of several holds of a block.
poplar::Interval share(std::size_t n, std::size_t i, std::size_t parts);

} // namespace poplin::internal
