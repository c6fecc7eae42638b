#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace popops {

namespace {

// Elements are ordered by key, equal keys by where they came from: the order is total, so every way of sorting is
// stable.
template <typename T> struct Order {
  bool descending;
  bool operator()(T a, unsigned from, T b, unsigned otherFrom) const {
    if (a < b)
      return !descending;
    if (b < a)
      return descending;
    return from < otherFrom;
  }
};

// Heap sort: Williams 1964; in place, as a tile has no memory to spare.
template <typename T> class HeapSort {
public:
  HeapSort(T *keys, unsigned *from, unsigned n, bool descending)
      : keys_(keys), from_(from), n_(n), before_{descending} {}

  void run() {
    for (unsigned root = n_ / 2; root-- > 0;)
      sift(root, n_);
    for (unsigned end = n_; end-- > 1;) {
      swap(0, end);
      sift(0, end);
    }
  }

private:
  T *keys_;
  unsigned *from_;
  const unsigned n_;
  const Order<T> before_;

  bool before(unsigned i, unsigned j) const { return before_(keys_[i], from_[i], keys_[j], from_[j]); }
  void swap(unsigned i, unsigned j) {
    const T key = keys_[i];
    keys_[i] = keys_[j];
    keys_[j] = key;
    const unsigned from = from_[i];
    from_[i] = from_[j];
    from_[j] = from;
  }
  void sift(unsigned root, unsigned end) {
    for (unsigned child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end && before(child, child + 1))
        ++child;
      if (!before(root, child))
        return;
      swap(root, child);
      root = child;
    }
  }
};

} // namespace

// Sorts rows. `from` is where the keys came from; with `number` they are numbered from `first` before.
template <typename T> class SortRows : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> keys;
  InOut<Vector<unsigned, VectorLayout::ONE_PTR>> from;
  const unsigned numRows;
  const unsigned rowLength;
  const unsigned first;
  const bool number;
  const bool descending;

  bool compute(unsigned worker) {
    poputil::forEachRow<T>(numRows, rowLength, worker, numWorkers(), [this](unsigned row) { sort(row * rowLength); });
    return true;
  }

private:
  void sort(unsigned begin) {
    for (unsigned i = 0; number && i < rowLength; ++i)
      from[begin + i] = first + i;
    HeapSort<T>(&keys[begin], &from[begin], rowLength, descending).run();
  }
};

// Of two sorted blocks the first or the last elements, as many as there is room for.
template <typename T> class MergeSplit : public Vertex {
public:
  Input<Vector<T>> keysA, keysB;
  Input<Vector<unsigned>> fromA, fromB;
  Output<Vector<T>> keys;
  Output<Vector<unsigned>> from;
  const bool high;
  const bool descending;

  bool compute() {
    if (high)
      takeLast();
    else
      takeFirst();
    return true;
  }

private:
  void takeFirst() {
    const Order<T> before{descending};
    for (unsigned i = 0, a = 0, b = 0; i < keys.size(); ++i) {
      const bool isA = b == keysB.size() || (a < keysA.size() && before(keysA[a], fromA[a], keysB[b], fromB[b]));
      take(i, isA, isA ? a++ : b++);
    }
  }
  void takeLast() {
    const Order<T> before{descending};
    for (unsigned i = keys.size(), a = keysA.size(), b = keysB.size(); i-- > 0;) {
      const bool isA = b == 0 || (a > 0 && before(keysB[b - 1], fromB[b - 1], keysA[a - 1], fromA[a - 1]));
      take(i, isA, isA ? --a : --b);
    }
  }
  void take(unsigned to, bool isA, unsigned at) {
    keys[to] = isA ? keysA[at] : keysB[at];
    from[to] = isA ? fromA[at] : fromB[at];
  }
};

// Rows of `out`: the elements of the row of `in` that `from` names.
template <typename T> class PermuteRows : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Input<Vector<unsigned>> from;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const unsigned inLength;
  const unsigned outLength;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(from.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i)
      out[i] = in[i / outLength * inLength + from[i]];
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class SortRows<T>;                                                                                          \
  template class MergeSplit<T>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned int)
template class PermuteRows<unsigned char>;
template class PermuteRows<unsigned short>;
template class PermuteRows<unsigned int>;
template class PermuteRows<unsigned long long>;

} // namespace popops
