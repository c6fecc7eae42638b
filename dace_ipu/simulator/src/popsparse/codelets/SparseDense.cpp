#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "popops/slice/rows.hpp"

using namespace poplar;

namespace popsparse {

// Rows of sparse * dense: block row r has the blocks [starts[r], starts[r + 1]) of `values`; block b multiplies rows
// cols[b] * blockCols + 0, 1, ... of `dense`. Element (i, j) of a block is at i * rowStride + j * colStride.
template <typename T> class SparseDense : public MultiVertex {
public:
  Input<Vector<T>> values;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> dense;
  Vector<Output<Vector<T>>> out;
  const Vector<unsigned> starts;
  const Vector<unsigned> cols;
  const unsigned blockRows, blockCols;
  const unsigned rowStride, colStride;

  bool compute(unsigned worker) {
    const auto share = popops::Share::of<T>(out.size(), out[0].size(), worker, numWorkers());
    for (unsigned row = share.firstRow; row < share.endRow; ++row)
      for (unsigned c = share.firstCol; c < share.endCol; ++c)
        out[row][c] = static_cast<T>(product(row, c));
    return true;
  }

private:
  float product(unsigned row, unsigned c) const {
    float sum = 0;
    for (unsigned b = starts[row / blockRows]; b < starts[row / blockRows + 1]; ++b) {
      const T *value = &values[b * blockRows * blockCols + row % blockRows * rowStride];
      for (unsigned j = 0; j < blockCols; ++j)
        sum += static_cast<float>(value[j * colStride]) * static_cast<float>(dense[cols[b] * blockCols + j][c]);
    }
    return sum;
  }
};

template class SparseDense<float>;
template class SparseDense<half>;

} // namespace popsparse
