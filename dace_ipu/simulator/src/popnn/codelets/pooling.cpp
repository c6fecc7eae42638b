#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace popnn {

/// out[i] = scale * sum, or the maximum, of in[k][i] over all places k of the window. There is one scale for all, or
/// one for each element.
template <typename T> class PoolReduce : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 4>>> in;
  Output<Vector<T, VectorLayout::SPAN, 4>> out;
  Vector<float> scale;
  const bool isMax;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i)
      out[i] = isMax ? largest(i) : static_cast<T>(sum(i) * scale[scale.size() == 1 ? 0 : i]);
    return true;
  }

private:
  T largest(unsigned i) const {
    T best = in[0][i];
    for (unsigned k = 1; k < in.size(); ++k)
      best = best < in[k][i] ? in[k][i] : best;
    return best;
  }

  float sum(unsigned i) const {
    float result = 0;
    for (unsigned k = 0; k < in.size(); ++k)
      result += static_cast<float>(in[k][i]);
    return result;
  }
};

/// out[i] = gradient[i] shared among the places of the window that have the maximum.
template <typename T> class PoolShareGradient : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 4>>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> pooled;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> gradient;
  Output<Vector<T, VectorLayout::SPAN, 4>> out;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i) {
      unsigned equal = 0;
      for (unsigned k = 0; k < in.size(); ++k)
        equal += in[k][i] == pooled[i] ? 1 : 0;
      out[i] = equal == 0 ? static_cast<T>(0.f) : static_cast<T>(static_cast<float>(gradient[i]) / equal);
    }
    return true;
  }
};

/// out[i] = sum of in[k][i] over the windows k whose maximum pooled[k][i] is data[i].
template <typename T> class PoolMaxGradient : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 4>>> in;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 4>>> pooled;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> data;
  Output<Vector<T, VectorLayout::SPAN, 4>> out;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i) {
      float sum = 0;
      for (unsigned k = 0; k < in.size(); ++k)
        sum += pooled[k][i] == data[i] ? static_cast<float>(in[k][i]) : 0.f;
      out[i] = static_cast<T>(sum);
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class PoolReduce<T>;                                                                                        \
  template class PoolShareGradient<T>;                                                                                 \
  template class PoolMaxGradient<T>;
INSTANTIATE(float)
INSTANTIATE(half)

} // namespace popnn
