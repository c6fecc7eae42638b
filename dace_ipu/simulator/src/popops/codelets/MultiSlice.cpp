#include <poplar/Vertex.hpp>

#include "popops/slice/rows.hpp"

using namespace poplar;

namespace popops {

// Copies the rows of slices that lie in the held rows [firstRow, firstRow + numRows); zeros stand for the others.
template <typename T> class MultiSlice : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  Input<Vector<T, VectorLayout::ONE_PTR>> base;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const Vector<unsigned> shape;
  const Vector<unsigned> sizes;
  const unsigned numSlices;
  const unsigned slots;
  const unsigned firstRow;
  const unsigned numRows;
  const unsigned regionSize;
  const bool remap;

  bool compute(unsigned worker) {
    const Share share = Share::of<T>(numSlices * slots, regionSize, worker, numWorkers());
    for (unsigned i = share.firstRow; i < share.endRow; ++i) {
      const unsigned row = rowOf(&offsets[i / slots * shape.size()], shape, sizes, i % slots, remap);
      copy(row - firstRow, &out[static_cast<unsigned long long>(i) * regionSize], share);
    }
    return true;
  }

private:
  void copy(unsigned row, T *to, const Share &share) {
    const bool isHere = row < numRows;
    const T *from = &base[isHere ? static_cast<unsigned long long>(row) * regionSize : 0];
    for (unsigned c = share.firstCol; c < share.endCol; ++c)
      to[c] = isHere ? from[c] : T(0);
  }
};

// The bits of the one part that holds a row; all others have zeros there.
template <typename T> class CombineSlices : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> parts;
  Output<Vector<T>> out;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i) {
      T bits = 0;
      for (unsigned p = 0; p < parts.size(); ++p)
        bits |= parts[p][i];
      out[i] = bits;
    }
    return true;
  }
};

// The same for parts that cover a stretch of `out` each, from `begins`.
template <typename T> class CollectSlices : public MultiVertex {
public:
  Vector<Input<Vector<T>>> parts;
  Output<Vector<T>> out;
  const Vector<unsigned> begins;

  bool compute(unsigned worker) {
    const auto [first, end] = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = first; i < end; ++i)
      out[i] = 0;
    for (unsigned p = 0; p < parts.size(); ++p) {
      const unsigned begin = begins[p], last = begin + parts[p].size();
      for (unsigned i = begin < first ? first : begin; i < (last < end ? last : end); ++i)
        out[i] |= parts[p][i - begin];
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class MultiSlice<T>;                                                                                        \
  template class CombineSlices<T>;                                                                                     \
  template class CollectSlices<T>;
INSTANTIATE(unsigned char)
INSTANTIATE(unsigned short)
INSTANTIATE(unsigned int)
INSTANTIATE(unsigned long long)

} // namespace popops
