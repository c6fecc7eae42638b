// A tensor as a list of rows, for vertex fields that are lists of vectors.
#ifndef DACE_IPU_ROWS_HPP
#define DACE_IPU_ROWS_HPP

#include <poplar/Tensor.hpp>

namespace dace_ipu {

/// The runs of the last dimension of `tensor`, rank 2. With `components` of 2 the last dimension holds the parts of
/// complex numbers and stays with the one before it.
poplar::Tensor rows(const poplar::Tensor &tensor, unsigned components = 1);

} // namespace dace_ipu

#endif // DACE_IPU_ROWS_HPP
