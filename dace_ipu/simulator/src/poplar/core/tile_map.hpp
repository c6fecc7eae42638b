// Which tile each element of a variable lives on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Elements [begin, end) of a variable on one tile.
struct Region {
  std::size_t begin;
  std::size_t end;
  unsigned tile;
};

/// A log of assignments, resolved into sorted regions when somebody asks. The last assignment wins. Appending regions
/// in increasing order, which nearly all programs do, costs O(1) each; resolving n others costs O(n log n).
class TileMap {
public:
  void assign(std::size_t begin, std::size_t end, unsigned tile);
  /// Sorted, disjoint, neighbours on one tile merged. Not thread-safe: it may resolve.
  const std::vector<Region> &regions() const;
  /// Where each of the regions begins in the memory of its tile, in elements: what a tile holds of a variable lies there
  /// in one piece, in order. Not thread-safe: it may count.
  const std::vector<std::size_t> &localOffsets() const;

private:
  void resolve() const;
  // Logically const: resolving does not change what is mapped where.
  mutable std::vector<Region> sorted_;
  mutable std::vector<Region> pending_;
  mutable std::vector<std::size_t> localOffsets_; // empty: not counted yet
};

/// The first region that ends after `element`.
inline std::size_t firstRegionAfter(const std::vector<Region> &regions, std::size_t element) {
  std::size_t lo = 0, hi = regions.size();
  while (lo < hi) {
    const std::size_t mid = (lo + hi) / 2;
    if (regions[mid].end <= element)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/// Calls f(begin, end, tile) for the mapped parts of [begin, end).
template <typename F> void forRegionsIn(const std::vector<Region> &regions, std::size_t begin, std::size_t end, F &&f) {
  std::size_t lo = firstRegionAfter(regions, begin);
  for (; lo < regions.size() && regions[lo].begin < end; ++lo) {
    const std::size_t b = regions[lo].begin > begin ? regions[lo].begin : begin;
    const std::size_t e = regions[lo].end < end ? regions[lo].end : end;
    if (b < e)
      f(b, e, regions[lo].tile);
  }
}

} // namespace dace_ipu_sim
