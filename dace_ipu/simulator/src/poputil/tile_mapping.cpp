#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace poputil {

using Mapping = poplar::Graph::TileToTensorMapping;

namespace {

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::size_t product(poplar::ArrayRef<std::size_t> shape) {
  std::size_t n = 1;
  for (const std::size_t s : shape)
    n *= s;
  return n;
}

// PopLibs' default.
constexpr std::size_t minBytesPerTile = 128;

} // namespace

Mapping calcLinearTileMapping(unsigned numTiles, std::size_t numElements, unsigned minElementsPerTile,
                              unsigned grainSize) {
  if (grainSize == 0 || numTiles == 0)
    throw poplibs_error("calcLinearTileMapping: grain size and number of tiles must be positive");
  Mapping mapping(numTiles);
  if (numElements == 0)
    return mapping;
  const std::size_t grains = ceilDiv(numElements, grainSize);
  std::size_t perTile = ceilDiv(grains, numTiles);
  if (minElementsPerTile > 0) {
    const std::size_t most = std::max<std::size_t>(1, grains / ceilDiv(minElementsPerTile, grainSize));
    perTile = std::max(perTile, ceilDiv(grains, most));
  }
  const std::size_t used = ceilDiv(grains, perTile);
  for (std::size_t t = 0; t < used; ++t) {
    const std::size_t begin = t * grains / used * grainSize;
    const std::size_t end = std::min(numElements, (t + 1) * grains / used * grainSize);
    mapping[t].emplace_back(begin, end);
  }
  return mapping;
}

Mapping calcLinearTileMapping(const poplar::Target &target, poplar::ArrayRef<std::size_t> shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset, bool ascendingOrder) {
  const Mapping linear =
      calcLinearTileMapping(target.getNumTiles(), product(shape), minElementsPerTile, grainSize);
  const std::size_t n = linear.size();
  Mapping mapping(n);
  for (std::size_t tile = 0; tile < n; ++tile) {
    const std::size_t shifted = (offset + tile) % n;
    mapping[ascendingOrder ? shifted : n - 1 - shifted] = linear[tile];
  }
  return mapping;
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, poplar::ArrayRef<std::size_t> shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset, bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), shape, minElementsPerTile, grainSize, offset, ascendingOrder);
}

Mapping calcLinearTileMapping(const poplar::Target &target, poplar::ArrayRef<std::size_t> shape,
                              poplar::Type elementType, unsigned offset, bool ascendingOrder) {
  const auto minimum = static_cast<unsigned>(ceilDiv(minBytesPerTile, target.getTypeSize(elementType)));
  return calcLinearTileMapping(target, shape, minimum, target.getVectorWidth(elementType), offset, ascendingOrder);
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t, unsigned offset,
                              bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(), offset, ascendingOrder);
}

std::pair<Mapping, unsigned> calcLinearTileMappingAndNewOffset(const poplar::Graph &graph, const poplar::Tensor &t,
                                                               unsigned offset) {
  const Mapping linear = calcLinearTileMapping(graph, t);
  const auto used = std::count_if(linear.begin(), linear.end(), [](const auto &tile) { return !tile.empty(); });
  return {calcLinearTileMapping(graph, t, offset), (offset + static_cast<unsigned>(used)) % linear.size()};
}

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile, unsigned grainSize) {
  mapTensorLinearlyWithOffset(graph, t, minElementsPerTile, grainSize, 0);
}

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t));
}

void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(
      t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize, offset, ascendingOrder));
}

void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t, offset, ascendingOrder));
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape, std::size_t seed) {
  if (numTiles == 0)
    throw poplibs_error("chooseMappingOffset: there are no tiles");
  for (const std::size_t size : shape)
    seed = (seed ^ size) * 0x9e3779b97f4a7c15u + (seed >> 29);
  return seed % numTiles;
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape) {
  return chooseMappingOffset(numTiles, shape, 0x9e3779b9u);
}

unsigned getTileImbalance(const Mapping &mapping, unsigned minElementsPerTile, unsigned grainSize) {
  std::size_t total = 0, most = 0;
  for (const auto &intervals : mapping) {
    std::size_t here = 0;
    for (const poplar::Interval &i : intervals)
      here += i.size();
    total += here;
    most = std::max(most, here);
  }
  const std::size_t grain = std::max(1u, grainSize);
  const std::size_t even =
      std::max<std::size_t>(minElementsPerTile, ceilDiv(ceilDiv(total, mapping.size()), grain) * grain);
  return static_cast<unsigned>(most > even ? most - even : 0);
}

unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                          unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  return (ascending ? numTiles + tile - offset : 2 * numTiles - offset - tile) % numTiles;
}

unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  return (ascending ? tile + offset : 2 * numTiles - offset - tile) % numTiles;
}

} // namespace poputil
