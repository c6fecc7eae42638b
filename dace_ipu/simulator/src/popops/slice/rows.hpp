// Which row a slice reads or writes: shared by the codelets of slices and updates.
#pragma once

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

/// How six workers share `rows` rows of `cols` elements: whole rows where there are enough, else columns.
struct Share {
  unsigned firstRow, endRow, firstCol, endCol;
  Share(unsigned rows, unsigned cols, unsigned worker, unsigned workers) {
    const bool byRow = rows >= workers || rows >= cols;
    firstRow = byRow ? share(rows, worker, workers) : 0;
    endRow = byRow ? share(rows, worker + 1, workers) : rows;
    firstCol = byRow ? 0 : share(cols, worker, workers);
    endCol = byRow ? cols : share(cols, worker + 1, workers);
  }

private:
  static unsigned share(unsigned n, unsigned worker, unsigned workers) {
    return static_cast<unsigned>(static_cast<unsigned long long>(n) * worker / workers);
  }
};

} // namespace popops
