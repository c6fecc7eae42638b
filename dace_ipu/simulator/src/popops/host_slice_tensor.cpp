#include <poputil/exceptions.hpp>
#include <popops/HostSliceTensor.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

constexpr std::size_t packetBytes = 1024;

/// Deals packets out to tiles in turn.
class Packets {
public:
  Packets(Graph &graph, std::size_t offset) : graph_(graph), tile_(offset / packetBytes) {}

  void map(const Tensor &flat) {
    const std::size_t size = std::max<std::size_t>(1, packetBytes / graph_.getTarget().getTypeSize(flat.elementType()));
    for (std::size_t begin = 0; begin < flat.numElements(); begin += size)
      graph_.setTileMapping(flat.slice(begin, std::min(begin + size, flat.numElements())), takeTile());
  }
  unsigned nextTile() const { return static_cast<unsigned>(tile_ % graph_.getTarget().getNumTiles()); }

private:
  unsigned takeTile() {
    const unsigned tile = nextTile();
    ++tile_;
    return tile;
  }
  Graph &graph_;
  std::size_t tile_;
};

} // namespace

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                                           const bool, const std::size_t offset, const DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("popops::createHostSliceableTensor (" + debugContext.getPathName() +
                                 "): rank 2 is needed, not " + std::to_string(shape.size()));
  const Tensor tensor = graph.addVariable(type, shape, {debugContext, "Tensor"});
  const Tensor indices = graph.addVariable(UNSIGNED_INT, {shape[0]}, {debugContext, "Indices"});
  Packets packets(graph, offset);
  for (std::size_t row = 0; row < shape[0]; ++row) {
    graph.setTileMapping(indices[row], packets.nextTile());
    packets.map(tensor[row]);
  }
  return {indices, tensor};
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                                           const bool isRead, const DebugContext &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0, debugContext);
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, bool,
                                    const std::size_t offset, const DebugContext &debugContext) {
  const Tensor tensor = graph.addVariable(type, shape, debugContext);
  Packets(graph, offset).map(tensor.flatten());
  return tensor;
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, bool isRead,
                                    const DebugContext &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0, debugContext);
}

} // namespace popops
