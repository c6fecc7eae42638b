#include <dace_ipu/rows.hpp>

#include <cstddef>

namespace dace_ipu {

poplar::Tensor rows(const poplar::Tensor &tensor, unsigned components) {
  const unsigned inner = components == 1 ? 1 : 2, outer = tensor.rank() - inner;
  std::size_t count = 1, length = 1;
  for (unsigned d = 0; d < tensor.rank(); ++d)
    (d < outer ? count : length) *= tensor.dim(d);
  return tensor.reshape({count, length});
}

} // namespace dace_ipu
