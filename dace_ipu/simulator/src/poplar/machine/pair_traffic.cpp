#include "pair_traffic.hpp"

#include <algorithm>

namespace dace_ipu_sim {

std::vector<TilePair> PairTraffic::largest() const {
  std::vector<TilePair> pairs;
  for (const auto &entry : bytes_)
    pairs.push_back({entry.first.first, entry.first.second, entry.second});
  std::stable_sort(pairs.begin(), pairs.end(), [](const TilePair &a, const TilePair &b) { return a.bytes > b.bytes; });
  pairs.resize(std::min(pairs.size(), listed_));
  return pairs;
}

} // namespace dace_ipu_sim
