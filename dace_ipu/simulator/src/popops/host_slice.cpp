#include <popops/HostSliceTensor.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

constexpr std::size_t packetBytes = 1024; // of the host exchange; source: PopLibs, HostSliceTensor.cpp

} // namespace

Tensor createHostTransferableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, bool,
                                    const std::size_t offset, const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, {debugContext, "hostTransferable"});
  const Tensor flat = t.flatten();
  const std::size_t packet = packetBytes / graph.getTarget().getTypeSize(type);
  Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  for (std::size_t begin = 0, tile = offset / packetBytes; begin < flat.numElements(); begin += packet, ++tile)
    mapping[tile % mapping.size()].push_back({begin, std::min(flat.numElements(), begin + packet)});
  graph.setTileMapping(flat, mapping);
  return t;
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, bool isRead,
                                    const DebugContext &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, std::size_t(0), debugContext);
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                                           const bool isRead, const std::size_t offset,
                                           const DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("popops::createHostSliceableTensor '" + debugContext.getPathName() +
                                 "': the shape must have two dimensions, not " + std::to_string(shape.size()));
  const Tensor indices = graph.addVariable(UNSIGNED_INT, {shape[0]}, {debugContext, "indices"});
  graph.setTileMapping(indices, 0);
  return {indices, createHostTransferableTensor(graph, type, shape, isRead, offset, debugContext)};
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                                           const bool isRead, const DebugContext &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, std::size_t(0), debugContext);
}

} // namespace popops
