// Which tiles hold which elements: linear mappings, mappings by use, copies to another IPU.
#ifndef poputil_TileMapping_hpp
#define poputil_TileMapping_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace poputil {

/// Spreads `numElements` elements over the tiles in order, in whole grains.
///
/// With n = ceil(numElements / grain), a tile gets g = ceil(n / numTiles) grains, or more if fewer would be less than
/// `minElementsPerTile` elements; tile t of the T = ceil(n / g) used ones gets grains [t * n / T, (t + 1) * n / T).
/// Source of the rule: PopLibs, poputil/TileMapping.cpp. Returns one list of intervals a tile, numTiles in all. Throws
/// poplibs_error if the grain size or the number of tiles is zero.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(unsigned numTiles, std::size_t numElements,
                                                         unsigned minElementsPerTile, unsigned grainSize);

/// The same rule, rotated: tile t of the list goes to (offset + t) mod numTiles, or in descending order to
/// (numTiles - offset - 1 - t) mod numTiles.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph,
                                                         poplar::ArrayRef<std::size_t> shape,
                                                         unsigned minElementsPerTile, unsigned grainSize,
                                                         unsigned offset = 0, bool ascendingOrder = true);
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Target &target,
                                                         poplar::ArrayRef<std::size_t> shape,
                                                         unsigned minElementsPerTile, unsigned grainSize,
                                                         unsigned offset = 0, bool ascendingOrder = true);
/// At least 128 bytes a tile, in grains of the vector width of the type.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t,
                                                         unsigned offset = 0, bool ascendingOrder = true);
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Target &target,
                                                         poplar::ArrayRef<std::size_t> shape, poplar::Type elementType,
                                                         unsigned offset = 0, bool ascendingOrder = true);
/// The default mapping from tile `offset` on, and the first tile after it.
std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0);

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile, unsigned grainSize);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                                 bool ascendingOrder = true);

/// A tile that depends on the shape only, to start a mapping there. Not the numbers of PopLibs, whose hash is boost's.
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape);
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape, std::size_t seed);

/// The largest number of elements on a tile beyond what an even distribution would need.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

class TensorUseTrackerState;

/// Collects which tiles use which elements, and then maps the variables accordingly.
class TensorUseTracker {
public:
  /// What to do with elements that several tiles use: `None` and `OptimizeHaloRegions` share runs of elements with the
  /// same users out evenly among these users; `ConstrainMappingToUsedTiles` does the same. Kept for compatibility.
  enum class MappingMethod { OptimizeHaloRegions, ConstrainMappingToUsedTiles, None };

  /// Shares begin at `startTile` among the users, in ascending or descending order.
  TensorUseTracker(unsigned numTiles, unsigned startTile = 0, bool ascendingMappingOrder = true);
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other);
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other);
  ~TensorUseTracker();

  /// Notes that `tile` uses all elements of `t`. Throws poplibs_error if there is no such tile.
  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  void add(TensorUseTracker other);
  /// Decides for every used element on which one of its users it lies. With `extendPartialUsage` elements of a used
  /// variable that nobody uses count as used by the users of their neighbours.
  void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  /// Resolves, and maps the elements. Constants stay where they are.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> st;
};

/// A clone of `t` whose elements lie on the tiles of IPU `dstIPU` with the same numbers within the IPU.
///
/// Throws poplibs_error if there is no such IPU.
poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A clone of `t` on the tiles of `dstGraph` with the same numbers. Throws poplibs_error if it has fewer tiles.
poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A clone without aliases: a plain clone, or a new variable mapped linearly from `offset` on if `t` has aliases.
/// Returns it and the first tile after it.
std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                                                           unsigned offset = 0,
                                                           const poplar::DebugContext &debugContext = {});
/// cloneToIpu, and a copy of the data.
poplar::Tensor
copyToIpu(poplar::Graph &masterGraph, const poplar::Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// cloneToIpu; the caller copies `copySrc` to `copyDst`, in which no element occurs twice.
poplar::Tensor
createIpuCopy(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu, poplar::Tensor &copySrc,
              poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// Whether elements that differ in their index along `dimension` only lie on different tiles, or IPUs.
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);

/// A new tensor of shape {fullTensor.dim(dim)}, each element on the tile of the first element of `fullTensor` with that
/// index; with `ditherMapping` all tiles are rotated by chooseMappingOffset. Throws poplibs_error for a wrong dimension.
poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor, const poplar::Type &type,
                                      unsigned dim, bool ditherMapping = false,
                                      const poplar::DebugContext &debugContext = {});

/// Number of a tile counted from `offset` on, upwards or downwards, and back.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);

} // namespace poputil

#endif
