// Intervals: merging, and sharing out.
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {

using poplar::Interval;
using Regions = std::vector<Interval>;

namespace {

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::size_t totalOf(const Regions &regions) {
  std::size_t total = 0;
  for (const Interval &r : regions)
    total += r.size();
  return total;
}

// How many parts: see splitRegions.
std::size_t countParts(std::size_t grains, std::size_t grainSize, unsigned maxPartitions, unsigned minElements,
                       unsigned maxElements) {
  std::size_t perPart = ceilDiv(grains, maxPartitions);
  if (minElements > 0) {
    const std::size_t most = std::max<std::size_t>(1, grains / ceilDiv(minElements, grainSize));
    perPart = std::max(perPart, ceilDiv(grains, most));
  }
  perPart = std::min(perPart, std::max<std::size_t>(1, maxElements / grainSize));
  return ceilDiv(grains, perPart);
}

// The ends of the parts, counted in elements over all regions.
std::vector<std::size_t> endsOfParts(std::size_t total, unsigned grainSize, unsigned maxPartitions,
                                     unsigned minElements, unsigned maxElements) {
  if (grainSize == 0 || maxPartitions == 0 || maxElements == 0)
    throw poplibs_error("splitRegions: grain size, number of partitions and largest partition must be positive");
  const std::size_t grains = ceilDiv(total, grainSize);
  std::vector<std::size_t> ends;
  if (total == 0)
    return ends;
  const std::size_t parts = countParts(grains, grainSize, maxPartitions, minElements, maxElements);
  for (std::size_t p = 1; p <= parts; ++p)
    ends.push_back(std::min(total, p * grains / parts * grainSize));
  return ends;
}

// Calls f(part, piece) for the pieces of a region whose first element is number `at`; returns the part it ends in.
template <typename F>
std::size_t cutRegion(const Interval &region, std::size_t at, const std::vector<std::size_t> &ends, std::size_t part,
                      F &&f) {
  for (std::size_t begin = region.begin(); begin < region.end();) {
    while (at >= ends[part])
      ++part;
    const std::size_t size = std::min(region.end() - begin, ends[part] - at);
    f(part, Interval(begin, begin + size));
    begin += size;
    at += size;
  }
  return part;
}

void appendCut(Regions &out, const Interval &piece, unsigned maxElementsPerRegion) {
  for (std::size_t begin = piece.begin(); begin < piece.end(); begin += maxElementsPerRegion)
    out.emplace_back(begin, std::min<std::size_t>(piece.end(), begin + maxElementsPerRegion));
}

} // namespace

void mergeAdjacentRegions(Regions &regions) {
  std::sort(regions.begin(), regions.end());
  Regions merged;
  for (const Interval &r : regions) {
    if (r.size() == 0)
      continue;
    if (!merged.empty() && merged.back().end() == r.begin())
      merged.back() = Interval(merged.back().begin(), r.end());
    else
      merged.push_back(r);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(std::vector<Regions> &mapping) {
  for (Regions &regions : mapping)
    mergeAdjacentRegions(regions);
}

Regions flattenIntervals(const std::vector<Regions> &intervals) {
  Regions all;
  for (const Regions &regions : intervals)
    all.insert(all.end(), regions.begin(), regions.end());
  return all;
}

std::size_t intervalSequenceNumElements(const std::vector<Regions> &seq) {
  std::size_t total = 0;
  for (const Regions &regions : seq)
    total += totalOf(regions);
  return total;
}

std::vector<Regions> splitRegions(const Regions &regions, unsigned grainSize, unsigned maxPartitions,
                                  unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
                                  unsigned maxElementsPerRegion) {
  const auto ends = endsOfParts(totalOf(regions), grainSize, maxPartitions, minElementsPerPartition,
                                maxElementsPerPartition);
  std::vector<Regions> parts(ends.size());
  std::size_t at = 0, part = 0;
  for (const Interval &region : regions) {
    part = cutRegion(region, at, ends, part,
                     [&](std::size_t p, const Interval &piece) { appendCut(parts[p], piece, maxElementsPerRegion); });
    at += region.size();
  }
  return parts;
}

std::vector<std::vector<Regions>> splitRegions(const std::vector<Regions> &regions, unsigned grainSize,
                                               unsigned maxPartitions, unsigned minElementsPerPartition,
                                               unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  const auto ends = endsOfParts(intervalSequenceNumElements(regions), grainSize, maxPartitions,
                                minElementsPerPartition, maxElementsPerPartition);
  std::vector<std::vector<Regions>> parts(ends.size());
  std::size_t at = 0, part = 0;
  for (const Regions &region : regions) {
    std::size_t open = parts.size(); // the part that has a list for this region, and the elements in it
    std::size_t filled = 0;
    const auto add = [&](std::size_t p, Interval piece) {
      while (piece.size() > 0) {
        if (p != open || filled == maxElementsPerRegion) {
          parts[p].emplace_back();
          open = p;
          filled = 0;
        }
        const std::size_t end = std::min<std::size_t>(piece.end(), piece.begin() + maxElementsPerRegion - filled);
        parts[p].back().emplace_back(piece.begin(), end);
        filled += end - piece.begin();
        piece = Interval(end, piece.end());
      }
    };
    for (const Interval &interval : region) {
      part = cutRegion(interval, at, ends, part, add);
      at += interval.size();
    }
  }
  return parts;
}

std::vector<Regions> splitRegionsBetweenWorkers(const poplar::Target &target, const Regions &regions,
                                                unsigned grainSize, unsigned minElementsPerPartition,
                                                unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

std::vector<std::vector<Regions>> splitRegionsBetweenWorkers(const poplar::Target &target,
                                                             const std::vector<Regions> &regions, unsigned grainSize,
                                                             unsigned minElementsPerPartition,
                                                             unsigned maxElementsPerPartition,
                                                             unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

Regions calculateUnshufflingIntervals(const Regions &intervals) {
  std::vector<std::pair<std::size_t, Interval>> byPlace; // begin in the original, place in the shuffled tensor
  std::size_t at = 0;
  for (const Interval &i : intervals) {
    byPlace.emplace_back(i.begin(), Interval(at, at + i.size()));
    at += i.size();
  }
  std::sort(byPlace.begin(), byPlace.end());
  Regions result;
  for (const auto &place : byPlace)
    result.push_back(place.second);
  return result;
}

} // namespace poputil
