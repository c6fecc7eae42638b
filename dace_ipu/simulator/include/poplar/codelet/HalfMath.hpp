// The functions of <cmath> and the limits of <limits> for half, which the standard library leaves out before C++23.
// Without them `std::sqrt(h)` would be ambiguous. Each is computed in float and rounded once.
#ifndef poplar_codelet_HalfMath_hpp
#define poplar_codelet_HalfMath_hpp

#ifndef __STDCPP_FLOAT16_T__

#include <limits>

namespace std {

#define POPLAR_HALF_FUNCTION(NAME)                                                                                     \
  inline half NAME(half x) { return static_cast<half>(__builtin_##NAME##f(static_cast<float>(x))); }
POPLAR_HALF_FUNCTION(fabs)
POPLAR_HALF_FUNCTION(sqrt)
POPLAR_HALF_FUNCTION(cbrt)
POPLAR_HALF_FUNCTION(exp)
POPLAR_HALF_FUNCTION(exp2)
POPLAR_HALF_FUNCTION(expm1)
POPLAR_HALF_FUNCTION(log)
POPLAR_HALF_FUNCTION(log2)
POPLAR_HALF_FUNCTION(log10)
POPLAR_HALF_FUNCTION(log1p)
POPLAR_HALF_FUNCTION(sin)
POPLAR_HALF_FUNCTION(cos)
POPLAR_HALF_FUNCTION(tan)
POPLAR_HALF_FUNCTION(asin)
POPLAR_HALF_FUNCTION(acos)
POPLAR_HALF_FUNCTION(atan)
POPLAR_HALF_FUNCTION(sinh)
POPLAR_HALF_FUNCTION(cosh)
POPLAR_HALF_FUNCTION(tanh)
POPLAR_HALF_FUNCTION(erf)
POPLAR_HALF_FUNCTION(floor)
POPLAR_HALF_FUNCTION(ceil)
POPLAR_HALF_FUNCTION(round)
POPLAR_HALF_FUNCTION(trunc)
POPLAR_HALF_FUNCTION(rint)
POPLAR_HALF_FUNCTION(nearbyint)
#undef POPLAR_HALF_FUNCTION

#define POPLAR_HALF_FUNCTION(NAME)                                                                                     \
  inline half NAME(half x, half y) {                                                                                   \
    return static_cast<half>(__builtin_##NAME##f(static_cast<float>(x), static_cast<float>(y)));                       \
  }
POPLAR_HALF_FUNCTION(pow)
POPLAR_HALF_FUNCTION(fmod)
POPLAR_HALF_FUNCTION(atan2)
POPLAR_HALF_FUNCTION(fmin)
POPLAR_HALF_FUNCTION(fmax)
POPLAR_HALF_FUNCTION(copysign)
#undef POPLAR_HALF_FUNCTION

inline half abs(half x) { return fabs(x); }
inline half fma(half x, half y, half z) {
  return static_cast<half>(static_cast<float>(x) * static_cast<float>(y) + static_cast<float>(z));
}
inline bool isnan(half x) { return x != x; }
inline bool isinf(half x) { return __builtin_isinf(static_cast<float>(x)); }
inline bool isfinite(half x) { return __builtin_isfinite(static_cast<float>(x)); }

template <> class numeric_limits<half> {
public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int radix = 2;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int min_exponent = -13;
  static constexpr int max_exponent = 16;
  static half min() { return static_cast<half>(1.0f / 16384); }
  static half max() { return static_cast<half>(65504.0f); }
  static half lowest() { return static_cast<half>(-65504.0f); }
  static half epsilon() { return static_cast<half>(1.0f / 1024); }
  static half denorm_min() { return static_cast<half>(1.0f / 16777216); }
  static half infinity() { return static_cast<half>(__builtin_inff()); }
  static half quiet_NaN() { return static_cast<half>(__builtin_nanf("")); }
};

} // namespace std

#endif // __STDCPP_FLOAT16_T__
#endif
