#include "element_wise.hpp"

using namespace poplar;

namespace popops {

template <typename T> static void select(Operand<T> a, Operand<T> b, Operand<bool> c, T *out, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    out[i] = selected<T>(a[i], b[i], c[i]);
}

template <typename T> static void clamp(Operand<T> a, Operand<T> low, Operand<T> high, T *out, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    out[i] = clamped<T>(a[i], low[i], high[i]);
}

#define TERNARY(NAME, FUNCTION, C)                                                                                     \
  template <typename T> class NAME : public MultiVertex {                                                              \
  public:                                                                                                              \
    Rows<T> in1;                                                                                                       \
    Rows<T> in2;                                                                                                       \
    Rows<C> in3;                                                                                                       \
    OutputRows<T> out;                                                                                                 \
    const bool step1;                                                                                                  \
    const bool step2;                                                                                                  \
    const bool step3;                                                                                                  \
    const bool inPlace;                                                                                                \
    bool compute(unsigned worker) {                                                                                    \
      forEachShare(out, worker, [this](unsigned row, unsigned begin, unsigned size) {                                  \
        FUNCTION(operandOf(in1, step1, row, begin), operandOf(in2, step2, row, begin),                                 \
                 operandOf(in3, step3, row, begin), &out[row][begin], size);                                           \
      });                                                                                                              \
      return true;                                                                                                     \
    }                                                                                                                  \
  };
TERNARY(Select, select, bool)
TERNARY(Clamp, clamp, T)

#define INSTANTIATE(T) template class Select<T>;
POPOPS_NUMBER_TYPES(INSTANTIATE)
INSTANTIATE(bool)
#define INSTANTIATE_CLAMP(T) template class Clamp<T>;
POPOPS_NUMBER_TYPES(INSTANTIATE_CLAMP)

} // namespace popops
