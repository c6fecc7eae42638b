// Tensors laid out for transfers from and to the host.
#ifndef popops_HostSliceTensor_hpp
#define popops_HostSliceTensor_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

/// A tensor {n, elements} for copies from a remote buffer, and UNSIGNED_INT {n} for the places to copy from.
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const poplar::DebugContext &debugContext = {});
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const std::size_t offset, const poplar::DebugContext &debugContext = {});

/// A tensor in packets of 1024 bytes, one on each tile in turn, beginning after `offset` bytes of packets.
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const poplar::DebugContext &debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const std::size_t offset, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
