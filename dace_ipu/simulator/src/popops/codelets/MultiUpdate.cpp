#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "popops/slice/rows.hpp"

using namespace poplar;

namespace popops {

namespace {

struct Replace {
  template <typename T, typename S> static T apply(T, T value, S) { return value; }
};

struct Add {
  template <typename T, typename S> static T apply(T old, T value, S scale) {
    return static_cast<T>(old + scale * value);
  }
  static half apply(half old, half value, half scale) { return apply(old, value, static_cast<float>(scale)); }
  static half apply(half old, half value, float scale) {
    return static_cast<half>(static_cast<float>(old) + scale * static_cast<float>(value));
  }
};

struct Max {
  template <typename T, typename S> static T apply(T old, T value, S) { return old < value ? value : old; }
};

struct Mul {
  template <typename T, typename S> static T apply(T old, T value, S) { return static_cast<T>(old * value); }
};

} // namespace

// Workers share the held rows, so that slices of equal offsets are applied in order and no two workers write one
// element.
template <typename T, typename S, typename Fields> class Updater {
public:
  Updater(const Fields &fields, S scale, unsigned worker, unsigned workers)
      : f(fields), scale(scale), share(Share::of<T>(fields.numRows, fields.regionSize, worker, workers)) {}

  template <typename Operation> void run() const {
    for (unsigned i = 0; i < f.numSlices * f.slots; ++i) {
      const unsigned row = rowOf(&f.offsets[i / f.slots * f.shape.size()], f.shape, f.sizes, i % f.slots, f.remap);
      const unsigned here = row - f.firstRow;
      if (row != noRow && here >= share.firstRow && here < share.endRow)
        update<Operation>(here, i);
    }
  }

private:
  const Fields &f;
  const S scale;
  const Share share;

  template <typename Operation> void update(unsigned row, unsigned slice) const {
    T *to = &f.base[static_cast<unsigned long long>(row) * f.regionSize];
    const T *from = &f.sub[static_cast<unsigned long long>(slice) * f.regionSize];
    for (unsigned c = share.firstCol; c < share.endCol; ++c)
      to[c] = Operation::apply(to[c], from[c], scale);
  }
};

template <typename T> class MultiUpdate : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  InOut<Vector<T, VectorLayout::ONE_PTR>> base;
  Input<Vector<T, VectorLayout::ONE_PTR>> sub;
  const Vector<unsigned> shape;
  const Vector<unsigned> sizes;
  const unsigned numSlices;
  const unsigned slots;
  const unsigned firstRow;
  const unsigned numRows;
  const unsigned regionSize;
  const bool remap;

  bool compute(unsigned worker) {
    Updater<T, T, MultiUpdate>(*this, T(1), worker, numWorkers()).template run<Replace>();
    return true;
  }
};

// Operation: 0 add, 1 multiply, 2 maximum.
template <typename T, typename S> class MultiUpdateOp : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  InOut<Vector<T, VectorLayout::ONE_PTR>> base;
  Input<Vector<T, VectorLayout::ONE_PTR>> sub;
  Input<S> scale;
  const Vector<unsigned> shape;
  const Vector<unsigned> sizes;
  const unsigned numSlices;
  const unsigned slots;
  const unsigned firstRow;
  const unsigned numRows;
  const unsigned regionSize;
  const bool remap;
  const unsigned operation;

  bool compute(unsigned worker) {
    const Updater<T, S, MultiUpdateOp> updater(*this, *scale, worker, numWorkers());
    if (operation == 0)
      updater.template run<Add>();
    else if (operation == 1)
      updater.template run<Mul>();
    else
      updater.template run<Max>();
    return true;
  }
};

template class MultiUpdate<unsigned char>;
template class MultiUpdate<unsigned short>;
template class MultiUpdate<unsigned int>;
template class MultiUpdate<unsigned long long>;
template class MultiUpdateOp<float, float>;
template class MultiUpdateOp<half, half>;
template class MultiUpdateOp<half, float>;
template class MultiUpdateOp<int, int>;
template class MultiUpdateOp<unsigned int, unsigned int>;

} // namespace popops
