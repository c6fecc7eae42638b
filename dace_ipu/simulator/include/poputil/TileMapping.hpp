// Linear tile mappings.
#ifndef poputil_TileMapping_hpp
#define poputil_TileMapping_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

/// Spreads `numElements` elements over the tiles in order, in whole grains.
///
/// With n = ceil(numElements / grain), a tile gets g = ceil(n / numTiles) grains, or more if fewer would be less than
/// `minElementsPerTile` elements; tile t of the T = ceil(n / g) used ones gets grains [t * n / T, (t + 1) * n / T).
/// Source of the rule: PopLibs, poputil/TileMapping.cpp. Returns one list of intervals a tile, numTiles in all.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(unsigned numTiles, std::size_t numElements,
                                                         unsigned minElementsPerTile, unsigned grainSize);
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph,
                                                         poplar::ArrayRef<std::size_t> shape,
                                                         unsigned minElementsPerTile, unsigned grainSize);
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t,
                                                         unsigned minElementsPerTile, unsigned grainSize);
/// At least 128 bytes a tile, in grains of the vector width of the type.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t);

/// The same rule, rotated: tile t of the list goes to (offset + t) mod numTiles, or in descending order to
/// (numTiles - offset - 1 - t) mod numTiles.
poplar::Graph::TileToTensorMapping calcLinearTileMappingWithOffset(const poplar::Graph &graph, const poplar::Tensor &t,
                                                                   unsigned minElementsPerTile, unsigned grainSize,
                                                                   unsigned offset, bool ascendingOrder);

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile, unsigned grainSize);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                                 bool ascendingOrder = true);

/// The largest number of elements on a tile beyond what an even distribution would need.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

} // namespace poputil

#endif
