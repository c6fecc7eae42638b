// Tile mappings of variables that follow the blocks of a partition. dace_ipu/tile_graph/mapping.py states their meaning.
#ifndef DACE_IPU_MAPPING_HPP
#define DACE_IPU_MAPPING_HPP

#include <dace_ipu/blocks.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dace_ipu {

/// A dimension of a tensor that follows dimension `dimension` of a partition: iteration t touches offset + stride*t.
/// A default one follows nothing.
struct Follow {
  int dimension = -1;
  std::int64_t offset = 0;
  std::int64_t stride = 1;
};

namespace detail {

/// Indices [begin, end) of a dimension of a tensor and what they add to the number of the block.
struct Span {
  std::size_t begin, end;
  std::int64_t block;
};

/// The indices that belong to the parts of the followed dimension: borders between the elements that iterations touch,
/// the first and the last part without limit.
inline std::vector<Span> spans(const Follow &follow, std::size_t extent, const Blocks &blocks) {
  if (follow.dimension < 0)
    return {{0, extent, 0}};
  const std::size_t d = static_cast<std::size_t>(follow.dimension);
  const std::int64_t parts = blocks.parts(d), size = static_cast<std::int64_t>(extent);
  // Where part k begins; for a negative stride, where it ends.
  const auto border = [&](std::int64_t k) {
    if (k == 0 || k == parts)
      return (k == 0) == (follow.stride > 0) ? std::int64_t(0) : size;
    const std::int64_t place = follow.offset + follow.stride * blocks.border(d, k) + (follow.stride < 0 ? 1 : 0);
    return std::min(std::max<std::int64_t>(place, 0), size);
  };
  std::vector<Span> result;
  for (std::int64_t k = 0; k < parts; ++k) {
    const std::int64_t a = border(k), b = border(k + 1);
    if (a != b)
      result.push_back({static_cast<std::size_t>(std::min(a, b)), static_cast<std::size_t>(std::max(a, b)),
                        k * blocks.stride(d)});
  }
  return result;
}

inline void mapSpans(poplar::Graph &graph, const poplar::Tensor &part, const std::vector<std::vector<Span>> &all,
                     unsigned dimension, std::int64_t block) {
  if (dimension == all.size()) {
    graph.setTileMapping(part, static_cast<unsigned>(block));
    return;
  }
  for (const Span &span : all[dimension])
    mapSpans(graph, part.slice(span.begin, span.end, dimension), all, dimension + 1, block + span.block);
}

} // namespace detail

/// Maps each element of `tensor` to the tile of the block that touches it; `follow` has one entry a dimension. What no
/// block touches goes to the nearest block before it, or to the first; all goes to tile 0 if there are no blocks.
inline void mapToBlocks(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks,
                        const std::vector<Follow> &follow) {
  if (blocks.size() == 0) {
    graph.setTileMapping(tensor, 0);
    return;
  }
  std::vector<std::vector<detail::Span>> all;
  for (unsigned d = 0; d < follow.size(); ++d)
    all.push_back(detail::spans(follow[d], tensor.dim(d), blocks));
  detail::mapSpans(graph, tensor, all, 0, 0);
}

/// Maps row r of the first dimension to the tile of block r / lanesPerBlock.
inline void mapLanes(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks,
                     std::size_t lanesPerBlock) {
  for (const Block &block : blocks) {
    const std::size_t first = static_cast<std::size_t>(block.number()) * lanesPerBlock;
    graph.setTileMapping(tensor.slice(first, first + lanesPerBlock), block.tile());
  }
}

} // namespace dace_ipu

#endif // DACE_IPU_MAPPING_HPP
