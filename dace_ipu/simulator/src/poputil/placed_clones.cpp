// Tensors like others, on other tiles.
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>


namespace poputil {

using poplar::Tensor;
using Mapping = poplar::Graph::TileToTensorMapping;

namespace {

// Without aliases every element of the clone can be mapped through the clone itself.
void mapLike(poplar::Graph &graph, const Tensor &clone, const Mapping &mapping, unsigned firstTile,
             unsigned tilesOfIpu) {
  Mapping moved(graph.getTarget().getNumTiles());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    const std::size_t to = firstTile + tile % tilesOfIpu;
    if (!mapping[tile].empty() && to >= moved.size())
      throw poplibs_error("cloneToGraph: tile " + std::to_string(tile) + " does not exist in the destination");
    if (!mapping[tile].empty())
      moved[to].insert(moved[to].end(), mapping[tile].begin(), mapping[tile].end());
  }
  mergeAdjacentRegions(moved);
  graph.setTileMapping(clone, moved);
}

} // namespace

Tensor cloneToIpu(poplar::Graph &graph, const Tensor &t, unsigned dstIPU, const poplar::DebugContext &debugContext,
                  poplar::TensorCloneMethod method) {
  const poplar::Target &target = graph.getTarget();
  if (dstIPU >= target.getNumIPUs())
    throw poplibs_error("cloneToIpu (" + debugContext.getPathName() + "): no IPU " + std::to_string(dstIPU) +
                        " in a target of " + std::to_string(target.getNumIPUs()));
  const Tensor clone = graph.clone(t, debugContext, method);
  mapLike(graph, clone, graph.getTileMapping(t), dstIPU * target.getTilesPerIPU(), target.getTilesPerIPU());
  return clone;
}

Tensor cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph, const Tensor &t,
                    const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  const Mapping mapping = srcGraph.getTileMapping(t);
  const Tensor clone = srcGraph.clone(t, debugContext, method);
  mapLike(dstGraph, clone, mapping, 0, static_cast<unsigned>(mapping.size()));
  return clone;
}

std::pair<Tensor, unsigned> cloneAndExpandAliasing(poplar::Graph &graph, const Tensor &t, unsigned offset,
                                                   const poplar::DebugContext &debugContext) {
  if (!t.containsAliases())
    return {graph.clone(t, debugContext), offset};
  const Tensor expanded = graph.addVariable(t.elementType(), t.shape(), debugContext);
  const auto mapping = calcLinearTileMappingAndNewOffset(graph, expanded, offset);
  graph.setTileMapping(expanded, mapping.first);
  return {expanded, mapping.second};
}

Tensor copyToIpu(poplar::Graph &graph, const Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
                 const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  Tensor source, destination;
  const Tensor clone = createIpuCopy(graph, t, dstIPU, source, destination, debugContext, method);
  prog.add(poplar::program::Copy(source, destination, false, debugContext));
  return clone;
}

Tensor createIpuCopy(poplar::Graph &graph, const Tensor &t, unsigned dstIpu, Tensor &copySrc, Tensor &copyDst,
                     const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIpu, debugContext, method);
  copySrc = t;
  copyDst = clone;
  if (!clone.containsAliases())
    return clone;
  const Tensor flat = clone.flatten();
  const auto once = flattenIntervals(graph.getSortedContiguousRegions(flat, {{0, flat.numElements()}}, true));
  copySrc = poplar::concat(t.flatten().slices(once));
  copyDst = poplar::concat(flat.slices(once));
  return clone;
}

namespace {

// Whether slices along a dimension lie on different tiles, or IPUs of `group` tiles.
bool dimIsSplit(const poplar::Graph &graph, const Tensor &t, unsigned dimension, unsigned group) {
  if (dimension >= t.rank())
    throw poplibs_error("dimIsSplitOverTiles: " + t.shapeToString() + " has no dimension " + std::to_string(dimension));
  const Tensor rolled = t.dimRoll(dimension);
  const auto grouped = [&](const Tensor &slice) {
    const Mapping mapping = graph.getTileMapping(slice);
    Mapping groups(mapping.size() / group);
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      groups[tile / group].insert(groups[tile / group].end(), mapping[tile].begin(), mapping[tile].end());
    mergeAdjacentRegions(groups);
    return groups;
  };
  for (std::size_t i = 1; i < rolled.dim(0); ++i)
    if (grouped(rolled[i]) != grouped(rolled[0]))
      return true;
  return false;
}

} // namespace

bool dimIsSplitOverTiles(const poplar::Graph &graph, const Tensor &t, unsigned dimension) {
  return dimIsSplit(graph, t, dimension, 1);
}

bool dimIsSplitOverIPUs(const poplar::Graph &graph, const Tensor &t, unsigned dimension) {
  return dimIsSplit(graph, t, dimension, graph.getTarget().getTilesPerIPU());
}

Tensor createBroadcastOperand(poplar::Graph &graph, const Tensor &fullTensor, const poplar::Type &type, unsigned dim,
                              bool ditherMapping, const poplar::DebugContext &debugContext) {
  if (dim >= fullTensor.rank())
    throw poplibs_error("createBroadcastOperand (" + debugContext.getPathName() + "): " + fullTensor.shapeToString() +
                        " has no dimension " + std::to_string(dim));
  const std::size_t n = fullTensor.dim(dim);
  const Tensor operand = graph.addVariable(type, {n}, debugContext);
  if (fullTensor.numElements() == 0) {
    mapTensorLinearly(graph, operand);
    return operand;
  }
  const Tensor first = fullTensor.dimRoll(dim).reshape({n, fullTensor.numElements() / n}).slice(0, 1, 1).flatten();
  const Mapping mapping = graph.getTileMapping(first);
  const std::size_t offset = ditherMapping ? chooseMappingOffset(mapping.size(), fullTensor.shape()) : 0;
  Mapping rotated(mapping.size());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    rotated[(tile + offset) % mapping.size()] = mapping[tile];
  graph.setTileMapping(operand, rotated);
  return operand;
}

} // namespace poputil
