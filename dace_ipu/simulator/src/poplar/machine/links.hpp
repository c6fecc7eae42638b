// What the links between IPUs cost.
#pragma once

#include "machine.hpp"

#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Bytes that cross between IPUs in one exchange phase, by flow.
///
/// The IPUs stand in pairs on the rungs of a ladder: 0 and 1, 2 and 3, ... Traffic within a pair has links of its own. Other
/// traffic crosses to the side of its destination first, then goes along that side from pair to pair, and loads every
/// link that it passes. The time is that of the most loaded link, and the latency. Source of routes and bandwidths:
/// PopLibs' test harness (lib/poplibs_test/Util.cpp, addGlobalExchangeConstraints).
class LinkTraffic {
public:
  explicit LinkTraffic(const Machine &machine);
  void add(unsigned fromIPU, unsigned toIPU, std::uint64_t bytes);
  std::uint64_t bytes() const { return total_; }
  /// Tile cycles; 0 if nothing crosses.
  std::uint64_t cycles() const;

private:
  /// Bytes on the links that leave one IPU.
  struct Load {
    std::uint64_t inPair = 0, across = 0, up = 0, down = 0;
  };
  std::uint64_t flow(unsigned from, unsigned to) const;
  void route(unsigned from, unsigned to, std::vector<Load> &loads) const;
  double secondsOnLadder() const;
  double secondsWithConstraints() const;

  const Machine &machine_;
  std::vector<std::uint64_t> flows_; // from * numIPUs + to
  std::uint64_t total_ = 0;
};

} // namespace dace_ipu_sim
