#include "element_wise.hpp"

#include <type_traits>

using namespace poplar;

namespace popops {

// Real numbers are computed in float and rounded once; integers wrap around.
template <typename T> using Work = std::conditional_t<std::is_integral_v<T>, unsigned long long, float>;

/// out = in1 + scaleB * in2, or minus.
template <typename A, typename B, typename Scale> class ScaledAdd : public MultiVertex {
public:
  Vector<InOut<Vector<A>>> out;
  Rows<B> in1;
  Input<Scale> scaleB;
  const bool subtract;
  bool compute(unsigned worker) {
    using W = Work<A>;
    const W scale = subtract ? -static_cast<W>(*scaleB) : static_cast<W>(*scaleB);
    forEachShare(out, worker, [&](unsigned row, unsigned begin, unsigned size) {
      for (unsigned i = begin; i < begin + size; ++i)
        out[row][i] = static_cast<A>(static_cast<W>(out[row][i]) + scale * static_cast<W>(in1[row][i]));
    });
    return true;
  }
};

/// out = scaleA * out + scaleB * in1, or minus; with `isRest`, (1 - scaleA) instead of scaleA.
template <typename A, typename B, typename Scale> class AXPlusBY : public MultiVertex {
public:
  Vector<InOut<Vector<A>>> out;
  Rows<B> in1;
  Input<Scale> scaleA;
  Input<Scale> scaleB;
  const bool subtract;
  const bool isRest;
  bool compute(unsigned worker) {
    using W = Work<A>;
    const W a = isRest ? 1 - static_cast<W>(*scaleA) : static_cast<W>(*scaleA);
    const W b = subtract ? -static_cast<W>(*scaleB) : static_cast<W>(*scaleB);
    forEachShare(out, worker, [&](unsigned row, unsigned begin, unsigned size) {
      for (unsigned i = begin; i < begin + size; ++i)
        out[row][i] = static_cast<A>(a * static_cast<W>(out[row][i]) + b * static_cast<W>(in1[row][i]));
    });
    return true;
  }
};

#define INSTANTIATE(A, B, SCALE)                                                                                       \
  template class ScaledAdd<A, B, SCALE>;                                                                               \
  template class AXPlusBY<A, B, SCALE>;
INSTANTIATE(float, float, float)
INSTANTIATE(float, float, half)
INSTANTIATE(float, half, float)
INSTANTIATE(float, half, half)
INSTANTIATE(half, float, float)
INSTANTIATE(half, float, half)
INSTANTIATE(half, half, float)
INSTANTIATE(half, half, half)
INSTANTIATE(int, int, int)
INSTANTIATE(unsigned int, unsigned int, unsigned int)

} // namespace popops
