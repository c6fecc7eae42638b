#include "links.hpp"

#include <algorithm>
#include <cmath>

namespace dace_ipu_sim {

LinkTraffic::LinkTraffic(const Machine &machine) : machine_(machine) {}

void LinkTraffic::add(unsigned from, unsigned to, std::uint64_t bytes) {
  if (from == to || bytes == 0)
    return;
  const std::size_t n = machine_.numIPUs;
  flows_.resize(n * n);
  flows_[from * n + to] += bytes;
  total_ += bytes;
}

std::uint64_t LinkTraffic::flow(unsigned from, unsigned to) const {
  return flows_.empty() ? 0 : flows_[std::size_t(from) * machine_.numIPUs + to];
}

void LinkTraffic::route(unsigned from, unsigned to, std::vector<Load> &loads) const {
  const std::uint64_t bytes = flow(from, to);
  if (from / 2 == to / 2) {
    loads[from].inPair += bytes;
    return;
  }
  unsigned at = from;
  const auto cross = [&] {
    loads[at].across += bytes;
    at ^= 1;
  };
  const bool otherSide = at % 2 != to % 2;
  const bool crossFirst = otherSide && (at ^ 1) < machine_.numIPUs; // the last of an odd number has no neighbour
  if (crossFirst)
    cross();
  while (at / 2 != to / 2) {
    const bool up = at < to;
    (up ? loads[at].up : loads[at].down) += bytes;
    at = up ? at + 2 : at - 2;
  }
  if (otherSide && !crossFirst)
    cross();
}

double LinkTraffic::secondsOnLadder() const {
  const unsigned n = machine_.numIPUs;
  std::vector<Load> loads(n + 1); // a route up the side that an odd last IPU leaves open passes one more
  for (unsigned from = 0; from < n; ++from)
    for (unsigned to = 0; to < n; ++to)
      if (flow(from, to) > 0)
        route(from, to, loads);
  double bits = 0;
  for (const Load &l : loads)
    bits = std::max({bits, 8.0 * static_cast<double>(l.inPair) / machine_.linksInPair,
                     8.0 * static_cast<double>(l.across) / machine_.linksAcross,
                     8.0 * static_cast<double>(std::max(l.up, l.down)) / machine_.linksAlong});
  return bits / machine_.linkBitsPerSecond;
}

double LinkTraffic::secondsWithConstraints() const {
  double seconds = 0;
  for (const LinkConstraint &c : machine_.linkConstraints) {
    std::uint64_t bytes = 0;
    for (const auto &f : c.flows)
      bytes += flow(f.first, f.second);
    seconds = std::max(seconds, 8.0 * static_cast<double>(bytes) / c.bitsPerSecond);
  }
  return seconds;
}

std::uint64_t LinkTraffic::cycles() const {
  if (total_ == 0)
    return 0;
  const double seconds = machine_.linkConstraints.empty() ? secondsOnLadder() : secondsWithConstraints();
  return static_cast<std::uint64_t>(std::ceil((machine_.linkLatency + seconds) * machine_.clock));
}

} // namespace dace_ipu_sim
