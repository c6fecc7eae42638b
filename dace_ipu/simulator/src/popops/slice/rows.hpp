// Which row a slice reads or writes: shared by the codelets of slices and updates.
#pragma once

#include "poputil/shares.hpp"

namespace popops {

constexpr unsigned noRow = ~0u;

/// The row, in the flattened sliced dimensions, of element `slot` of the flattened slice at `offset`. A slice wraps
/// around; an offset outside selects no row, or counts as 0 with `remap`.
template <typename Sizes>
unsigned rowOf(const unsigned *offset, const Sizes &shape, const Sizes &sizes, unsigned slot, bool remap) {
  unsigned row = 0, stride = 1;
  for (unsigned d = shape.size(); d-- > 0;) {
    unsigned begin = offset[d];
    if (begin >= shape[d]) {
      if (!remap)
        return noRow;
      begin = 0;
    }
    const unsigned position = begin + slot % sizes[d];
    row += (position < shape[d] ? position : position - shape[d]) * stride;
    stride *= shape[d];
    slot /= sizes[d];
  }
  return row;
}

/// How six workers share `rows` rows of `cols` elements, one after another: whole rows where there are enough, or where
/// rows do not begin at words, else columns.
struct Share {
  unsigned firstRow, endRow, firstCol, endCol;

  template <typename T> static Share of(unsigned rows, unsigned cols, unsigned worker, unsigned workers) {
    const unsigned grain = poputil::rowGrain<T>(cols);
    if (rows >= workers || rows >= cols || (grain > 1 && rows > 1)) {
      const poputil::Range range = poputil::rangeOf(rows, grain, worker, workers);
      return {range.begin, range.end, 0, cols};
    }
    const poputil::Range range = poputil::rangeOf<T>(cols, worker, workers);
    return {0, rows, range.begin, range.end};
  }
};

} // namespace popops
