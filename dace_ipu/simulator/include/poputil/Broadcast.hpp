// Shapes that fit by the rules of NumPy.
#ifndef poputil_Broadcast_hpp
#define poputil_Broadcast_hpp

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

/// Adds dimensions of size 1 at the front of the tensor with fewer dimensions.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

/// Repeats a tensor to a shape, or tensors to their common shape: missing dimensions at the front and dimensions of size
/// 1 are repeated; the elements alias. Throws poplibs_error with the shapes if others differ.
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);
bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil

#endif
