#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace poplin {

namespace {

// The sum of element i of all partials, in float.
template <typename Partials> float sumAt(const Partials &partials, unsigned i) {
  float sum = 0;
  for (unsigned p = 0; p < partials.size(); ++p)
    sum += static_cast<float>(partials[p][i]);
  return sum;
}

} // namespace

/// out[i] = sum of partials[p][i] over p.
template <typename Out, typename Partial> class ReduceAdd : public MultiVertex {
public:
  Vector<Input<Vector<Partial, VectorLayout::ONE_PTR, 8>>> partials;
  Output<Vector<Out, VectorLayout::ONE_PTR, 8>> out;
  const unsigned size;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<Out>(size, worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i)
      out[i] = static_cast<Out>(sumAt(partials, i));
    return true;
  }
};

/// out[i] += scale * sum of partials[p][i] over p.
template <typename Out, typename Partial> class ReduceAddScaled : public MultiVertex {
public:
  Vector<Input<Vector<Partial, VectorLayout::ONE_PTR, 8>>> partials;
  InOut<Vector<Out, VectorLayout::ONE_PTR, 8>> out;
  Input<float> scale;
  const unsigned size;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<Out>(size, worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i)
      out[i] = static_cast<Out>(static_cast<float>(out[i]) + *scale * sumAt(partials, i));
    return true;
  }
};

#define INSTANTIATE(OUT, PARTIAL)                                                                                      \
  template class ReduceAdd<OUT, PARTIAL>;                                                                              \
  template class ReduceAddScaled<OUT, PARTIAL>;
INSTANTIATE(float, float)
INSTANTIATE(half, float)
INSTANTIATE(float, half)
INSTANTIATE(half, half)

} // namespace poplin
