// Building and running lists of strided copies.
#pragma once

#include "plan.hpp"

namespace dace_ipu_sim {

/// One side of a copy: runs of a view with their arena offsets, or a linear buffer.
struct RunList {
  struct Entry {
    std::size_t offset;  // bytes
    std::ptrdiff_t step; // bytes
    std::size_t count;
  };
  std::vector<Entry> entries;

  /// The elements of a view, in row-major order.
  static RunList ofView(const View &view, std::size_t elementBytes, const std::vector<std::size_t> &variableOffsets);
  /// `count` elements one after another.
  static RunList linear(std::size_t offset, std::size_t count, std::size_t elementBytes);
};

/// Pairs the elements of both sides in order. Large contiguous pieces are cut so that threads can share them.
Copies zipCopies(const RunList &dst, const RunList &src, std::size_t elementBytes);

std::size_t bytesOf(const Copies &copies);

void runCopies(const Copies &copies, char *dst, const char *src);

} // namespace dace_ipu_sim
