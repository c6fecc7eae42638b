#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace popops {

namespace {

constexpr unsigned masked = 0xffffffffu;

template <typename T> T nan() { return static_cast<T>(__builtin_nanf("")); }

// The part of a worker in each of several columns of n elements: if they do not begin at words, one worker does all.
template <typename T> poputil::Range rangeInColumns(unsigned n, unsigned worker, unsigned workers) {
  if (n % poputil::perWord<T>() == 0)
    return poputil::rangeOf<T>(n, worker, workers);
  return {0, worker == 0 ? n : 0};
}

} // namespace

// A piece of rows, column after column: `table` holds columns [firstCol, firstCol + size / rows) of every row.
template <typename T> class SelectFromRows : public MultiVertex {
public:
  Input<Vector<unsigned>> indices;
  Input<Vector<T>> table;
  Output<Vector<T>> out;
  const unsigned firstCol;
  const unsigned width;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(indices.size(), worker, numWorkers());
    for (unsigned row = range.begin; row < range.end; ++row)
      out[row] = select(row, indices[row]);
    return true;
  }

private:
  // Zero where another piece has the element; the piece with column 0 speaks for indices that are too large.
  T select(unsigned row, unsigned index) const {
    const unsigned rows = indices.size(), col = index - firstCol;
    if (index >= width)
      return index != masked && firstCol == 0 ? nan<T>() : T(0);
    return index >= firstCol && col < table.size() / rows ? table[col * rows + row] : T(0);
  }
};

template <typename T> class DecrementInRows : public MultiVertex {
public:
  Input<Vector<unsigned>> indices;
  InOut<Vector<T>> table;
  const unsigned firstCol;
  const unsigned width;

  bool compute(unsigned worker) {
    const poputil::Range range = rangeInColumns<T>(indices.size(), worker, numWorkers());
    for (unsigned row = range.begin; row < range.end; ++row)
      update(row, indices[row]);
    return true;
  }

private:
  void update(unsigned row, unsigned index) {
    const unsigned rows = indices.size(), cols = table.size() / rows, col = index - firstCol;
    if (index < width && index >= firstCol && col < cols)
      table[col * rows + row] = static_cast<T>(static_cast<float>(table[col * rows + row]) - 1.0f);
    for (unsigned c = 0; index >= width && index != masked && c < cols; ++c)
      table[c * rows + row] = nan<T>();
  }
};

// Copies sequences of rows, all of which are here, of `regionSize` elements.
template <typename T> class SequenceSlice : public MultiVertex {
public:
  Input<Vector<T>> src;
  InOut<Vector<T>> dst;
  Input<Vector<unsigned>> counts;
  Input<Vector<unsigned>> srcOffsets;
  Input<Vector<unsigned>> dstOffsets;
  const unsigned regionSize;
  const bool zeroUnused;

  // Workers share the columns: sequences may overlap and are copied in order.
  bool compute(unsigned worker) {
    const auto [first, end] = rangeInColumns<T>(regionSize, worker, numWorkers());
    const unsigned srcRows = src.size() / regionSize, dstRows = dst.size() / regionSize;
    for (unsigned row = 0; zeroUnused && row < dstRows; ++row)
      for (unsigned c = first; c < end; ++c)
        dst[row * regionSize + c] = T(0);
    for (unsigned s = 0; s < counts.size(); ++s)
      for (unsigned i = 0; i < counts[s] && srcOffsets[s] + i < srcRows && dstOffsets[s] + i < dstRows; ++i)
        for (unsigned c = first; c < end; ++c)
          dst[(dstOffsets[s] + i) * regionSize + c] = src[(srcOffsets[s] + i) * regionSize + c];
    return true;
  }
};

// Workers share the counters, so that no two write one: each looks at all data.
template <typename T> class Histogram : public MultiVertex {
public:
  Input<Vector<T>> data;
  Input<Vector<T>> levels;
  Output<Vector<unsigned>> counts;
  const bool absolute;

  bool compute(unsigned worker) {
    const unsigned n = counts.size(), first = n * worker / numWorkers(), end = n * (worker + 1) / numWorkers();
    for (unsigned i = first; i < end; ++i)
      counts[i] = 0;
    for (unsigned i = 0; first < end && i < data.size(); ++i) {
      const unsigned level = levelOf(static_cast<float>(data[i]));
      if (level >= first && level < end)
        ++counts[level];
    }
    return true;
  }

private:
  // How many levels are not above: levels ascend.
  unsigned levelOf(float x) const {
    x = absolute ? __builtin_fabsf(x) : x;
    unsigned low = 0;
    for (unsigned high = levels.size(); low < high;) {
      const unsigned middle = (low + high) / 2;
      if (x >= static_cast<float>(levels[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

template <typename T> class SumCounts : public MultiVertex {
public:
  Vector<Input<Vector<unsigned, VectorLayout::ONE_PTR>>> parts;
  InOut<Vector<T>> out;
  const bool add;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers()) {
      unsigned sum = 0;
      for (unsigned p = 0; p < parts.size(); ++p)
        sum += parts[p][i];
      out[i] = (add ? out[i] : T(0)) + static_cast<T>(sum);
    }
    return true;
  }
};

template class SelectFromRows<float>;
template class SelectFromRows<half>;
template class DecrementInRows<float>;
template class DecrementInRows<half>;
template class SequenceSlice<unsigned char>;
template class SequenceSlice<unsigned short>;
template class SequenceSlice<unsigned int>;
template class SequenceSlice<unsigned long long>;
template class Histogram<float>;
template class Histogram<half>;
template class SumCounts<unsigned int>;
template class SumCounts<float>;

} // namespace popops
