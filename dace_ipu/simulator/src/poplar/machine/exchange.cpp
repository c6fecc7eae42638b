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

ExchangePhase::ExchangePhase(const Machine &machine, std::size_t listedPairs)
    : machine_(machine), tiles_(machine.numTiles()), links_(machine), pairs_(listedPairs) {}

void LocalShare::addOther(std::uint64_t pieces) {
  otherPieces_ += pieces;
  last_ = nullptr;
}

void LocalShare::add(const Variable *var, std::size_t at, std::size_t count, std::size_t elementBytes) {
  bytes_ += count * elementBytes;
  pieces_ += var != last_ || at != lastEnd_;
  areWords_ = areWords_ && at * elementBytes % 8 == 0 && count * elementBytes % 8 == 0;
  last_ = var;
  lastEnd_ = at + count;
}

void LocalShare::addSingles(std::size_t count, std::size_t elementBytes) {
  bytes_ += count * elementBytes;
  pieces_ += count;
  areWords_ = areWords_ && elementBytes % 8 == 0;
  last_ = nullptr;
}

void ExchangePhase::strided(unsigned tile, const Run &run, std::size_t elementBytes, bool incoming, LocalShare &share) {
  const auto range = hull(run);
  const auto &regions = run.var->mapping.regions();
  for (std::size_t i = firstRegionAfter(regions, range.first); i < regions.size() && regions[i].begin < range.second;
       ++i) {
    const unsigned home = regions[i].tile;
    const std::size_t begin = std::max(regions[i].begin, range.first);
    const std::size_t n = elementsWithin(run, begin, std::min(regions[i].end, range.second));
    if (n == 0)
      continue;
    if (home == tile) {
      if (n > 1 || run.stride <= 0) {
        share.addSingles(n, elementBytes);
        continue;
      }
      const auto step = static_cast<std::size_t>(run.stride);
      const std::size_t element = run.offset + (begin - run.offset + step - 1) / step * step;
      share.add(run.var, run.var->mapping.localOffsets()[i] + element - regions[i].begin, 1, elementBytes);
      continue;
    }
    const unsigned from = incoming ? home : tile;
    const unsigned to = incoming ? tile : home;
    transfer(from, to, n * elementBytes);
    tiles_[to].fragments += n - 1;
    share.addOther(n);
  }
}

// Calls f(bytes, home) for the contiguous pieces that do not lie on the tile.
template <typename F>
void ExchangePhase::forPieces(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share, F &&f) {
  const auto &regions = run.var->mapping.regions();
  const std::size_t end = run.offset + run.count;
  for (std::size_t i = firstRegionAfter(regions, run.offset); i < regions.size() && regions[i].begin < end; ++i) {
    const std::size_t b = std::max(regions[i].begin, run.offset), count = std::min(regions[i].end, end) - b;
    if (regions[i].tile == tile) {
      share.add(run.var, run.var->mapping.localOffsets()[i] + b - regions[i].begin, count, elementBytes);
    } else {
      share.addOther(1);
      f(count * elementBytes, regions[i].tile);
    }
  }
}

void ExchangePhase::need(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share) {
  if (!run.contiguous())
    return strided(tile, run, elementBytes, true, share);
  bool elsewhere = false;
  forPieces(tile, run, elementBytes, share, [&](std::uint64_t, unsigned) { elsewhere = true; });
  if (elsewhere)
    needs_.push_back({run.var, run.offset, run.offset + run.count, tile, static_cast<std::uint32_t>(elementBytes)});
}

void ExchangePhase::deliver(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share) {
  if (!run.contiguous())
    return strided(tile, run, elementBytes, false, share);
  forPieces(tile, run, elementBytes, share, [&](std::uint64_t bytes, unsigned home) { transfer(tile, home, bytes); });
}

void ExchangePhase::host(const Run &run, std::size_t elementBytes, bool toDevice) {
  const auto range = hull(run);
  const std::uint64_t packet = toDevice ? machine_.hostPacketBytesIn : machine_.hostPacketBytesOut;
  forRegionsIn(run.var->mapping.regions(), range.first, range.second, [&](std::size_t b, std::size_t e, unsigned home) {
    const std::uint64_t n = run.contiguous() ? e - b : elementsWithin(run, b, e);
    TileTraffic &t = tiles_[home];
    (toDevice ? t.received : t.sent) += n * elementBytes;
    t.fragments += toDevice ? (run.contiguous() ? 1 : n) : 0;
    t.packets = ((toDevice ? t.received : t.sent) + packet - 1) / packet;
    any_ = any_ || n > 0;
  });
}

void ExchangePhase::send(const Variable *var, std::size_t begin, std::size_t end, unsigned from, unsigned to,
                         std::size_t elementBytes) {
  const std::uint64_t bytes = (end - begin) * elementBytes;
  tiles_[to].received += bytes;
  ++tiles_[to].fragments;
  pairs_.add(from, to, bytes);
  links_.add(machine_.ipuOf(from), machine_.ipuOf(to), bytes);
  sent_.push_back({var, begin, end, from, static_cast<std::uint32_t>(elementBytes)});
  any_ = true;
}

void ExchangePhase::transfer(unsigned from, unsigned to, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  tiles_[to].received += bytes;
  ++tiles_[to].fragments;
  tiles_[from].sent += bytes;
  pairs_.add(from, to, bytes);
  links_.add(machine_.ipuOf(from), machine_.ipuOf(to), bytes);
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
  countPairs(begin, end);
  if (end - begin > 1)
    return settleMany(begin, end);
  const Need &n = *begin;
  forRegionsIn(n.var->mapping.regions(), n.begin, n.end, [&](std::size_t b, std::size_t e, unsigned home) {
    if (home == n.tile)
      return;
    tiles_[n.tile].received += (e - b) * n.elementBytes;
    ++tiles_[n.tile].fragments;
    links_.add(machine_.ipuOf(home), machine_.ipuOf(n.tile), (e - b) * n.elementBytes);
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
    if (m + 1 == end || m->tile % 2 != 0 || m[1].tile != m->tile + 1)
      continue;
    const std::uint64_t both = bytes - ownBytes_[m->tile] - ownBytes_[m->tile + 1];
    tiles_[m->tile].shared += both;
    tiles_[m->tile + 1].shared += both;
  }
  crossLinks(begin, end);
  forRegionsIn(regions, n.begin, n.end, [&](std::size_t, std::size_t, unsigned home) {
    ownBytes_[home] = 0;
    ownFragments_[home] = 0;
  });
}

void ExchangePhase::countPairs(const Need *begin, const Need *end) {
  for (const Need *m = begin; pairs_.wanted() && m != end; ++m)
    forRegionsIn(m->var->mapping.regions(), m->begin, m->end, [&](std::size_t b, std::size_t e, unsigned home) {
      pairs_.add(home, m->tile, (e - b) * m->elementBytes);
    });
}

// A range that several tiles of an IPU need crosses the links to that IPU once.
void ExchangePhase::crossLinks(const Need *begin, const Need *end) {
  if (machine_.numIPUs == 1)
    return;
  const Need &n = *begin;
  for (const Need *m = begin; m != end; ++m) { // by tile, so those of an IPU follow one another
    const unsigned to = machine_.ipuOf(m->tile);
    if (m == begin || machine_.ipuOf(m[-1].tile) != to)
      forRegionsIn(n.var->mapping.regions(), n.begin, n.end, [&](std::size_t b, std::size_t e, unsigned home) {
        links_.add(machine_.ipuOf(home), to, (e - b) * n.elementBytes);
      });
  }
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
  for (const TileTraffic &t : tiles_) {
    cost.cycles = std::max(cost.cycles, tileCycles(t));
    cost.bytes += t.received;
    cost.fragments += t.fragments;
  }
  cost.globalCycles = links_.cycles();
  cost.globalBytes = links_.bytes();
  if (any_)
    cost.cycles += machine_.exchangeFixedCycles + cost.globalCycles;
  cost.tiles = std::move(tiles_);
  cost.numPairs = pairs_.count();
  cost.pairs = pairs_.largest();
  return cost;
}

std::uint64_t ExchangePhase::tileCycles(const TileTraffic &t) const {
  const std::uint64_t rate = machine_.exchangeBytesPerCycle * (machine_.pairedExchange && t.packets == 0 ? 2 : 1);
  const std::uint64_t arriving = machine_.pairedExchange ? t.received : t.received - t.shared / 2;
  const std::uint64_t in = std::max((arriving + rate - 1) / rate, machine_.fragmentCycles * t.fragments);
  return std::max(in, (t.sent + rate - 1) / rate) + machine_.hostPacketCycles * t.packets;
}

} // namespace dace_ipu_sim
