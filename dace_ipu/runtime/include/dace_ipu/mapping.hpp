// Tile mappings of variables that follow the blocks of a partition. dace_ipu/tile_graph/mapping.py states their meaning.
#ifndef DACE_IPU_MAPPING_HPP
#define DACE_IPU_MAPPING_HPP

#include <dace_ipu/blocks.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

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
std::vector<Span> spans(const Follow &follow, std::size_t extent, const Blocks &blocks);

} // namespace detail

/// Maps each element of `tensor` to the tile of the block that touches it; `follow` has one entry a dimension. What no
/// block touches goes to the nearest block before it, or to the first; all goes to tile 0 if there are no blocks.
void mapToBlocks(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks,
                 const std::vector<Follow> &follow);

/// Maps row r of the first dimension to the tile of block r / lanesPerBlock.
void mapLanes(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks, std::size_t lanesPerBlock);

} // namespace dace_ipu

#endif // DACE_IPU_MAPPING_HPP
