// Which tile sends how much to which, for those who want to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dace_ipu_sim {

/// Bytes that one tile receives from another.
struct TilePair {
  unsigned from;
  unsigned to;
  std::uint64_t bytes;
};

/// Counts by pair of tiles, but only if some pairs are to be listed: there may be as many as tiles squared.
class PairTraffic {
public:
  explicit PairTraffic(std::size_t listed) : listed_(listed) {}
  bool wanted() const { return listed_ > 0; }
  void add(unsigned from, unsigned to, std::uint64_t bytes) {
    if (wanted() && from != to && bytes > 0)
      bytes_[{from, to}] += bytes;
  }
  std::size_t count() const { return bytes_.size(); }
  /// The pairs with the most bytes, by bytes, then by tile.
  std::vector<TilePair> largest() const;

private:
  std::size_t listed_;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> bytes_;
};

} // namespace dace_ipu_sim
