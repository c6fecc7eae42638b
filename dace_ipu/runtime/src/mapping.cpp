#include <dace_ipu/mapping.hpp>

namespace dace_ipu {

namespace {

using detail::Span;

void mapSpans(poplar::Graph &graph, const poplar::Tensor &part, const std::vector<std::vector<Span>> &all,
              unsigned dimension, std::int64_t block) {
  if (dimension == all.size()) {
    graph.setTileMapping(part, static_cast<unsigned>(block));
    return;
  }
  for (const Span &span : all[dimension])
    mapSpans(graph, part.slice(span.begin, span.end, dimension), all, dimension + 1, block + span.block);
}

} // namespace

void mapToBlocks(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks,
                 const std::vector<Follow> &follow) {
  if (blocks.size() == 0) {
    graph.setTileMapping(tensor, 0);
    return;
  }
  std::vector<std::vector<Span>> all;
  for (unsigned d = 0; d < follow.size(); ++d)
    all.push_back(detail::spans(follow[d], tensor.dim(d), blocks));
  mapSpans(graph, tensor, all, 0, 0);
}

void mapLanes(poplar::Graph &graph, const poplar::Tensor &tensor, const Blocks &blocks, std::size_t lanesPerBlock) {
  for (const Block &block : blocks) {
    const std::size_t first = static_cast<std::size_t>(block.number()) * lanesPerBlock;
    graph.setTileMapping(tensor.slice(first, first + lanesPerBlock), block.tile());
  }
}

} // namespace dace_ipu
