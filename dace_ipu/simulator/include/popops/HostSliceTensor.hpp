// Tensors spread for transfers from and to the host.
#ifndef popops_HostSliceTensor_hpp
#define popops_HostSliceTensor_hpp

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

/// A tensor {rows, elements} in packets of 1024 bytes on one tile after another, from tile `offset` / 1024 on, and
/// UNSIGNED_INT {rows} for the indices of rows, each on the tile of the first packet of its row. `isRead` changes
/// nothing. Throws poputil::poplibs_error if the rank is not 2.
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const poplar::DebugContext &debugContext = {});
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const std::size_t offset, const poplar::DebugContext &debugContext = {});

/// A tensor of any shape in such packets.
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const poplar::DebugContext &debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const std::size_t offset, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
