#include <dace_ipu/mapping.hpp>

#include <algorithm>

namespace dace_ipu {
namespace detail {

std::vector<Span> spans(const Follow &follow, std::size_t extent, const Blocks &blocks) {
  if (follow.dimension < 0)
    return {{0, extent, 0}};
  const std::size_t d = static_cast<std::size_t>(follow.dimension);
  const std::int64_t parts = blocks.parts(d), size = static_cast<std::int64_t>(extent);
  // Where part k begins; for a negative stride, where it ends.
  const auto border = [&](std::int64_t k) {
    if (k == 0 || k == parts)
      return (k == 0) == (follow.stride > 0) ? std::int64_t(0) : size;
    const std::int64_t place = follow.offset + follow.stride * blocks.border(d, k) + (follow.stride < 0 ? 1 : 0);
    return std::min(std::max<std::int64_t>(place, 0), size);
  };
  std::vector<Span> result;
  for (std::int64_t k = 0; k < parts; ++k) {
    const std::int64_t a = border(k), b = border(k + 1);
    if (a != b)
      result.push_back({static_cast<std::size_t>(std::min(a, b)), static_cast<std::size_t>(std::max(a, b)),
                        k * blocks.stride(d)});
  }
  return result;
}

} // namespace detail
} // namespace dace_ipu
