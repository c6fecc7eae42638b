// VectorMath.hpp for the compilation that prices codelets: functions that are instructions of the device stay calls, so
// that their names can be priced (pricing/slots.py).
#ifndef poplar_codelet_PricedMath_hpp
#define poplar_codelet_PricedMath_hpp

#define ipu ipu_plain
#include "VectorMath.hpp"
#undef ipu

namespace ipu {

using ipu_plain::sum;
using ipu_plain::cmpeq, ipu_plain::cmpge, ipu_plain::cmpgt, ipu_plain::cmple, ipu_plain::cmplt, ipu_plain::cmpne;

#define POPLAR_IPU_PRICED(NAME)                                                                                        \
  template <typename V> __attribute__((noinline, const)) V NAME(V x) { return ipu_plain::NAME(x); }
POPLAR_IPU_PRICED(fabs)
POPLAR_IPU_PRICED(sqrt)
POPLAR_IPU_PRICED(rsqrt)
POPLAR_IPU_PRICED(exp)
POPLAR_IPU_PRICED(exp2)
POPLAR_IPU_PRICED(log)
POPLAR_IPU_PRICED(log2)
POPLAR_IPU_PRICED(log10)
POPLAR_IPU_PRICED(sin)
POPLAR_IPU_PRICED(cos)
POPLAR_IPU_PRICED(tanh)
POPLAR_IPU_PRICED(sigmoid)
POPLAR_IPU_PRICED(floor)
POPLAR_IPU_PRICED(ceil)
POPLAR_IPU_PRICED(round)
POPLAR_IPU_PRICED(rint)
#undef POPLAR_IPU_PRICED

#define POPLAR_IPU_PRICED(NAME)                                                                                        \
  template <typename V> __attribute__((noinline, const)) V NAME(V x, V y) { return ipu_plain::NAME(x, y); }
POPLAR_IPU_PRICED(fmin)
POPLAR_IPU_PRICED(fmax)
POPLAR_IPU_PRICED(copysign)
#undef POPLAR_IPU_PRICED

template <typename V> inline V min(V x, V y) { return fmin(x, y); }
template <typename V> inline V max(V x, V y) { return fmax(x, y); }
template <typename V> inline V clamp(V x, V low, V high) { return fmin(fmax(x, low), high); }
template <typename V> __attribute__((noinline, const)) V fma(V x, V y, V z) { return ipu_plain::fma(x, y, z); }

} // namespace ipu

#endif
