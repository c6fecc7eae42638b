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

// PopLibs' default: 128 bytes a tile.
unsigned defaultMinimum(const poplar::Graph &graph, const poplar::Tensor &t) {
  return static_cast<unsigned>(ceilDiv(128, graph.getTarget().getTypeSize(t.elementType())));
}

unsigned defaultGrain(const poplar::Graph &graph, const poplar::Tensor &t) {
  return graph.getTarget().getVectorWidth(t.elementType());
}

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

Mapping calcLinearTileMapping(const poplar::Graph &graph, poplar::ArrayRef<std::size_t> shape,
                              unsigned minElementsPerTile, unsigned grainSize) {
  return calcLinearTileMapping(graph.getTarget().getNumTiles(), product(shape), minElementsPerTile, grainSize);
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                              unsigned grainSize) {
  return calcLinearTileMapping(graph.getTarget().getNumTiles(), t.numElements(), minElementsPerTile, grainSize);
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t) {
  return calcLinearTileMapping(graph, t, defaultMinimum(graph, t), defaultGrain(graph, t));
}

Mapping calcLinearTileMappingWithOffset(const poplar::Graph &graph, const poplar::Tensor &t,
                                        unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                        bool ascendingOrder) {
  const Mapping linear = calcLinearTileMapping(graph, t, minElementsPerTile, grainSize);
  const std::size_t n = linear.size();
  Mapping mapping(n);
  for (std::size_t tile = 0; tile < n; ++tile) {
    const std::size_t shifted = (offset + tile) % n;
    mapping[ascendingOrder ? shifted : n - 1 - shifted] = linear[tile];
  }
  return mapping;
}

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile, unsigned grainSize) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t, minElementsPerTile, grainSize));
}

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t));
}

void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(
      t, calcLinearTileMappingWithOffset(graph, t, minElementsPerTile, grainSize, offset, ascendingOrder));
}

void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset, bool ascendingOrder) {
  mapTensorLinearlyWithOffset(graph, t, defaultMinimum(graph, t), defaultGrain(graph, t), offset, ascendingOrder);
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

} // namespace poputil
