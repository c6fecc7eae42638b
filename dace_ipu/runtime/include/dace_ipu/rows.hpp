// A tensor as a list of rows, for vertex fields that are lists of vectors.
#ifndef DACE_IPU_ROWS_HPP
#define DACE_IPU_ROWS_HPP

#include <poplar/Tensor.hpp>

#include <cstddef>

namespace dace_ipu {

/// The runs of the last dimension of `tensor`, rank 2. With `components` of 2 the last dimension holds the parts of
/// complex numbers and stays with the one before it.
inline poplar::Tensor rows(const poplar::Tensor &tensor, unsigned components = 1) {
  const unsigned inner = components == 1 ? 1 : 2, outer = tensor.rank() - inner;
  std::size_t count = 1, length = 1;
  for (unsigned d = 0; d < tensor.rank(); ++d)
    (d < outer ? count : length) *= tensor.dim(d);
  return tensor.reshape({count, length});
}

} // namespace dace_ipu

#endif // DACE_IPU_ROWS_HPP
