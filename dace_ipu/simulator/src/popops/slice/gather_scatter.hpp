// What the general forms of gather and scatter share: indices and windows as XLA describes them.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popops::slice {

/// Indices with their vectors last: {batch..., vector}.
struct Batch {
  std::vector<std::size_t> shape; // of the batch
  poplar::Tensor offsets;         // {n, vector}
};

/// Throws poputil::poplibs_error, `what` first, if indexVectorDim is beyond the rank or the vector is not `length` long.
Batch batchOf(const std::string &what, const poplar::Tensor &indices, std::size_t indexVectorDim, std::size_t length);

/// Permutation of `rank` dimensions that brings `last` to the end, all others first, both in their order.
std::vector<unsigned> withLast(std::size_t rank, const std::vector<std::size_t> &last);

/// `t` cut to the first `sizes[d]` elements of every dimension that is not in `dims`.
poplar::Tensor cutTo(const poplar::Tensor &t, const std::vector<std::size_t> &sizes,
                     const std::vector<std::size_t> &dims);

} // namespace popops::slice
