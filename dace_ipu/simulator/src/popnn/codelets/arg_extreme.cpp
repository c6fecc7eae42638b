#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

/// For every row: its largest (or smallest) element, and the first place where it is, counted from `first`.
template <typename T> class ArgExtreme : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> value;
  Output<Vector<unsigned, VectorLayout::ONE_PTR, 4>> index;
  const unsigned rows;
  const unsigned columns;
  const unsigned first;
  const bool largest;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      const T *row = &in[r * columns];
      unsigned best = 0;
      for (unsigned i = 1; i < columns; ++i)
        if (largest ? row[i] > row[best] : row[i] < row[best])
          best = i;
      value[r] = row[best];
      index[r] = first + best;
    }
    return true;
  }
};

/// The best of the segments of every row.
template <typename T> class ArgExtremeOfSegments : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> values;
  Input<Vector<unsigned, VectorLayout::ONE_PTR, 4>> indices;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> value;
  Output<Vector<unsigned, VectorLayout::ONE_PTR, 4>> index;
  const unsigned rows;
  const unsigned columns;
  const bool largest;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      unsigned best = r * columns;
      for (unsigned i = best + 1; i < (r + 1) * columns; ++i)
        if (largest ? values[i] > values[best] : values[i] < values[best])
          best = i;
      value[r] = values[best];
      index[r] = indices[best];
    }
    return true;
  }
};

/// The k largest elements of every row and their places; sorted, the largest first.
template <typename T> class RowTopK : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> value;
  Output<Vector<unsigned, VectorLayout::ONE_PTR, 4>> index;
  const unsigned rows;
  const unsigned columns;
  const unsigned k;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = 0; i < columns; ++i)
        insert(r * k, i < k ? i : k, in[r * columns + i], i);
    return true;
  }

private:
  // Among the `count` elements that are there, in order; the last one goes if there are k.
  void insert(unsigned begin, unsigned count, T x, unsigned place) {
    unsigned at = count;
    while (at > 0 && value[begin + at - 1] < x)
      --at;
    for (unsigned i = count < k ? count : k - 1; i > at && i < k; --i) {
      value[begin + i] = value[begin + i - 1];
      index[begin + i] = index[begin + i - 1];
    }
    if (at < k) {
      value[begin + at] = x;
      index[begin + at] = place;
    }
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class ArgExtreme<T>;                                                                                        \
  template class ArgExtremeOfSegments<T>;                                                                              \
  template class RowTopK<T>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned int)

} // namespace popnn
