#include "copy_traffic.hpp"

#include <algorithm>

namespace dace_ipu_sim {

namespace {

Run part(const Run &r, std::size_t first, std::size_t count) {
  return {r.var, r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(first)),
          count == 1 ? 1 : r.stride, count};
}

// The tile of one element after another. Remembers the region, as neighbours usually share it, and how far the last
// search went, as strides go as far again.
class TileCursor {
public:
  explicit TileCursor(const Run &r) : run_(r), regions_(r.var->mapping.regions()) {}
  unsigned at(std::size_t i) {
    const std::size_t element = run_.offset + static_cast<std::size_t>(run_.stride * static_cast<std::ptrdiff_t>(i));
    if (!holds(region_, element))
      moveTo(holds(region_ + jump_, element) ? region_ + jump_ : find(element));
    return regions_[region_].tile;
  }

private:
  bool holds(std::size_t region, std::size_t element) const {
    return region < regions_.size() && regions_[region].begin <= element && element < regions_[region].end;
  }
  std::size_t find(std::size_t element) const {
    const auto after = [&](const Region &r) { return r.end <= element; };
    return static_cast<std::size_t>(std::partition_point(regions_.begin(), regions_.end(), after) - regions_.begin());
  }
  void moveTo(std::size_t region) {
    jump_ = region - region_; // backwards: wraps, and back again when it is added
    region_ = region;
  }

  const Run &run_;
  const std::vector<Region> &regions_;
  std::size_t region_ = 0, jump_ = 1;
};

} // namespace

CopyTraffic::CopyTraffic(const Machine &machine, std::size_t elementBytes, std::size_t listedPairs)
    : machine_(machine), elementBytes_(elementBytes), phase_(machine, listedPairs), localBytes_(machine.numTiles()),
      localPieces_(machine.numTiles()), areWords_(machine.numTiles(), true), last_(machine.numTiles()) {}

std::uint64_t CopyTraffic::localCycles(unsigned tile) const {
  const std::uint64_t bytes = localBytes_[tile], pieces = localPieces_[tile];
  if (bytes == 0)
    return 0;
  return machine_.copyCycles(bytes, (pieces - 1) * machine_.pieceCycles(bytes, pieces, areWords_[tile]));
}

void CopyTraffic::addViews(const View &src, const View &dst) {
  std::vector<Run> sources;
  forEachRun(src, [&](const Run &r) { sources.push_back(r); });
  std::size_t s = 0, done = 0;
  forEachRun(dst, [&](const Run &d) {
    for (std::size_t at = 0; at < d.count;) {
      const std::size_t n = std::min(d.count - at, sources[s].count - done);
      addPair(part(sources[s], done, n), part(d, at, n));
      at += n;
      done += n;
      if (done == sources[s].count) {
        ++s;
        done = 0;
      }
    }
  });
}

void CopyTraffic::addPair(const Run &src, const Run &dst) {
  if (src.contiguous() && dst.contiguous())
    addContiguous(src, dst);
  else if (src.stride == 0 && dst.contiguous())
    addFill(src, dst);
  else
    addElements(src, dst);
}

void CopyTraffic::move(unsigned from, unsigned to, std::uint64_t bytes) {
  if (from != to)
    return phase_.transfer(from, to, bytes);
  localBytes_[to] += bytes;
  ++localPieces_[to];
  areWords_[to] = areWords_[to] && bytes % 8 == 0;
}

// Pieces that follow one another on their tile, at both ends, are copied as one.
void CopyTraffic::moveLocally(unsigned tile, std::uint64_t bytes, const Place &src, const Place &dst) {
  localBytes_[tile] += bytes;
  Last &last = last_[tile];
  localPieces_[tile] += !(last.src == src && last.dst == dst);
  areWords_[tile] = areWords_[tile] && (bytes | src.at * elementBytes_ | dst.at * elementBytes_) % 8 == 0;
  last = {{src.var, src.at + bytes / elementBytes_}, {dst.var, dst.at + bytes / elementBytes_}};
}

void CopyTraffic::addContiguous(const Run &src, const Run &dst) {
  const auto &from = src.var->mapping.regions(), &to = dst.var->mapping.regions();
  const auto &fromLocal = src.var->mapping.localOffsets(), &toLocal = dst.var->mapping.localOffsets();
  std::size_t i = firstRegionAfter(from, src.offset), j = firstRegionAfter(to, dst.offset);
  for (std::size_t done = 0; done < dst.count;) {
    const std::size_t s = src.offset + done, d = dst.offset + done;
    const std::size_t n = std::min({from[i].end - s, to[j].end - d, dst.count - done});
    if (from[i].tile == to[j].tile)
      moveLocally(to[j].tile, n * elementBytes_, {src.var, fromLocal[i] + s - from[i].begin},
                  {dst.var, toLocal[j] + d - to[j].begin});
    else
      phase_.send(src.var, s, s + n, from[i].tile, to[j].tile, elementBytes_);
    done += n;
    i += src.offset + done == from[i].end;
    j += dst.offset + done == to[j].end;
  }
}

// One element goes to every tile once and is spread out there.
void CopyTraffic::addFill(const Run &src, const Run &dst) {
  const unsigned from = TileCursor(src).at(0);
  forRegionsIn(dst.var->mapping.regions(), dst.offset, dst.offset + dst.count,
               [&](std::size_t b, std::size_t e, unsigned to) {
                 if (to != from)
                   phase_.send(src.var, src.offset, src.offset + 1, from, to, elementBytes_);
                 localBytes_[to] += (e - b) * elementBytes_;
                 ++localPieces_[to];
                 areWords_[to] = areWords_[to] && (e - b) * elementBytes_ % 8 == 0;
               });
}

void CopyTraffic::addElements(const Run &src, const Run &dst) {
  TileCursor from(src), to(dst);
  for (std::size_t i = 0; i < dst.count; ++i)
    move(from.at(i), to.at(i), elementBytes_);
}

} // namespace dace_ipu_sim
