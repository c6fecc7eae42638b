#include "exchange.hpp"

#include <algorithm>
#include <tuple>

namespace dace_ipu_sim {

namespace {

// First and last element of a strided run.
std::pair<std::size_t, std::size_t> hull(const Run &r) {
  const std::size_t last = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(r.count - 1));
  return {std::min(r.offset, last), std::max(r.offset, last) + 1};
}

// How many elements of a strided run fall into [begin, end).
std::size_t elementsWithin(const Run &r, std::size_t begin, std::size_t end) {
  if (r.stride == 0)
    return r.offset >= begin && r.offset < end ? 1 : 0;
  const std::size_t low = hull(r).first;
  const std::size_t step = static_cast<std::size_t>(r.stride < 0 ? -r.stride : r.stride);
  const auto below = [&](std::size_t x) { return x <= low ? 0 : std::min(r.count, (x - low + step - 1) / step); };
  return below(end) - below(begin);
}

} // namespace

ExchangePhase::ExchangePhase(const Machine &machine) : machine_(machine), tiles_(machine.numTiles()) {}

std::uint64_t ExchangePhase::strided(unsigned tile, const Run &run, std::size_t elementBytes, bool incoming) {
  const auto range = hull(run);
  std::uint64_t local = 0;
  forRegionsIn(run.var->mapping.regions(), range.first, range.second, [&](std::size_t b, std::size_t e, unsigned home) {
    const std::size_t n = elementsWithin(run, b, e);
    if (home == tile) {
      local += n * elementBytes;
      return;
    }
    const unsigned from = incoming ? home : tile;
    const unsigned to = incoming ? tile : home;
    if (n == 0)
      return;
    transfer(from, to, n * elementBytes);
    tiles_[to].fragments += n - 1; // every element is a piece of its own
  });
  return local;
}

std::uint64_t ExchangePhase::need(unsigned tile, const Run &run, std::size_t elementBytes) {
  if (!run.contiguous())
    return strided(tile, run, elementBytes, true);
  std::uint64_t local = 0;
  const std::size_t end = run.offset + run.count;
  forRegionsIn(run.var->mapping.regions(), run.offset, end, [&](std::size_t b, std::size_t e, unsigned home) {
    local += home == tile ? (e - b) * elementBytes : 0;
  });
  if (local < run.count * elementBytes)
    needs_.push_back({run.var, run.offset, end, tile, static_cast<std::uint32_t>(elementBytes)});
  return local;
}

std::uint64_t ExchangePhase::deliver(unsigned tile, const Run &run, std::size_t elementBytes) {
  if (!run.contiguous())
    return strided(tile, run, elementBytes, false);
  std::uint64_t local = 0;
  forRegionsIn(run.var->mapping.regions(), run.offset, run.offset + run.count,
               [&](std::size_t b, std::size_t e, unsigned home) {
                 if (home == tile)
                   local += (e - b) * elementBytes;
                 else
                   transfer(tile, home, (e - b) * elementBytes);
               });
  return local;
}

void ExchangePhase::host(const Run &run, std::size_t elementBytes, bool toDevice) {
  const auto range = hull(run);
  forRegionsIn(run.var->mapping.regions(), range.first, range.second, [&](std::size_t b, std::size_t e, unsigned home) {
    const std::uint64_t n = run.contiguous() ? e - b : elementsWithin(run, b, e);
    TileTraffic &t = tiles_[home];
    (toDevice ? t.received : t.sent) += n * elementBytes;
    t.fragments += toDevice ? (run.contiguous() ? 1 : n) : 0;
    any_ = any_ || n > 0;
  });
}

void ExchangePhase::transfer(unsigned from, unsigned to, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  tiles_[to].received += bytes;
  ++tiles_[to].fragments;
  tiles_[from].sent += bytes;
  any_ = true;
}

void ExchangePhase::mergePerTile() {
  const auto key = [](const Need &n) { return std::make_tuple(n.tile, n.var->id, n.begin, n.end); };
  std::sort(needs_.begin(), needs_.end(), [&](const Need &a, const Need &b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const Need &n : needs_) {
    Need *last = kept ? &needs_[kept - 1] : nullptr;
    if (last && last->tile == n.tile && last->var == n.var && n.begin < last->end)
      last->end = std::max(last->end, n.end);
    else
      needs_[kept++] = n;
  }
  needs_.resize(kept);
}

// One tile needs this range.
void ExchangePhase::settle(const Need *begin, const Need *end) {
  if (end - begin > 1)
    return settleMany(begin, end);
  const Need &n = *begin;
  forRegionsIn(n.var->mapping.regions(), n.begin, n.end, [&](std::size_t b, std::size_t e, unsigned home) {
    if (home == n.tile)
      return;
    tiles_[n.tile].received += (e - b) * n.elementBytes;
    ++tiles_[n.tile].fragments;
    sent_.push_back({n.var, b, e, home, n.elementBytes});
  });
}

// Several tiles need the same range: the regions are walked once, and every tile leaves out what it has.
void ExchangePhase::settleMany(const Need *begin, const Need *end) {
  if (ownBytes_.empty()) {
    ownBytes_.resize(tiles_.size());
    ownFragments_.resize(tiles_.size());
  }
  const Need &n = *begin;
  std::uint64_t bytes = 0, fragments = 0;
  const auto &regions = n.var->mapping.regions();
  forRegionsIn(regions, n.begin, n.end, [&](std::size_t b, std::size_t e, unsigned home) {
    bytes += (e - b) * n.elementBytes;
    ++fragments;
    ownBytes_[home] += (e - b) * n.elementBytes;
    ++ownFragments_[home];
    sent_.push_back({n.var, b, e, home, n.elementBytes});
  });
  for (const Need *m = begin; m != end; ++m) {
    tiles_[m->tile].received += bytes - ownBytes_[m->tile];
    tiles_[m->tile].fragments += fragments - ownFragments_[m->tile];
  }
  forRegionsIn(regions, n.begin, n.end, [&](std::size_t, std::size_t, unsigned home) {
    ownBytes_[home] = 0;
    ownFragments_[home] = 0;
  });
}

void ExchangePhase::chargeSenders() {
  std::sort(sent_.begin(), sent_.end(), [](const Sent &a, const Sent &b) {
    return std::tie(a.var->id, a.begin, a.end) < std::tie(b.var->id, b.begin, b.end);
  });
  const Variable *var = nullptr;
  std::size_t done = 0;
  for (const Sent &s : sent_) {
    if (s.var != var)
      done = 0;
    var = s.var;
    if (s.end > done)
      tiles_[s.tile].sent += (s.end - std::max(done, s.begin)) * s.elementBytes;
    done = std::max(done, s.end);
  }
}

ExchangeCost ExchangePhase::finish() {
  any_ = any_ || !needs_.empty();
  mergePerTile();
  std::sort(needs_.begin(), needs_.end(), [](const Need &a, const Need &b) {
    return std::tie(a.var->id, a.begin, a.end, a.tile) < std::tie(b.var->id, b.begin, b.end, b.tile);
  });
  for (std::size_t i = 0; i < needs_.size();) {
    std::size_t j = i + 1;
    while (j < needs_.size() && needs_[j].var == needs_[i].var && needs_[j].begin == needs_[i].begin &&
           needs_[j].end == needs_[i].end)
      ++j;
    settle(needs_.data() + i, needs_.data() + j);
    i = j;
  }
  chargeSenders();

  ExchangeCost cost;
  const std::uint64_t rate = machine_.exchangeBytesPerCycle;
  for (const TileTraffic &t : tiles_) {
    const std::uint64_t in = std::max((t.received + rate - 1) / rate, machine_.fragmentCycles * t.fragments);
    cost.cycles = std::max({cost.cycles, in, (t.sent + rate - 1) / rate});
    cost.bytes += t.received;
  }
  if (any_)
    cost.cycles += machine_.exchangeFixedCycles;
  cost.tiles = std::move(tiles_);
  return cost;
}

} // namespace dace_ipu_sim
