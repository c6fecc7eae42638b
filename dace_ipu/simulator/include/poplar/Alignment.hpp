// Alignment of memory on the tiles.
#ifndef poplar_Alignment_hpp
#define poplar_Alignment_hpp

#include <cstddef>

namespace poplar {

/// `n` rounded up to a multiple of `alignment`, which is not zero.
constexpr std::size_t roundUp(std::size_t n, std::size_t alignment) {
  return (n + alignment - 1) / alignment * alignment;
}

/// Whether `n` is a multiple of `alignment`.
constexpr bool isAligned(std::size_t n, std::size_t alignment) { return n % alignment == 0; }

} // namespace poplar

#endif
