// Mathematical functions of scalars and vectors, lane by lane, in namespace ipu.
#ifndef poplar_codelet_VectorMath_hpp
#define poplar_codelet_VectorMath_hpp

#include "VectorTypes.hpp"

#include <type_traits>

namespace poplar {
namespace detail {

template <typename V> using LaneOf = typename Lanes<V>::Type;
template <typename V> constexpr bool isVector = Lanes<V>::count > 1;

/// Applies `op` to every lane of the arguments; computed in float for float and half.
template <typename V, typename Op, typename... Rest> inline V mapLanes(Op op, V first, Rest... rest) {
  if constexpr (isVector<V>) {
    V result;
    for (int i = 0; i < Lanes<V>::count; ++i)
      result[i] = static_cast<LaneOf<V>>(op(first[i], rest[i]...));
    return result;
  } else {
    return static_cast<V>(op(first, rest...));
  }
}

/// What a comparison of two V gives: -1 or 0 in every lane of an integer vector.
template <typename V> auto maskOf(V a) { return a == a; }
template <typename V> using Mask = decltype(maskOf(V()));

} // namespace detail
} // namespace poplar

namespace ipu {

#define POPLAR_IPU_FUNCTION(NAME, EXPRESSION)                                                                          \
  template <typename V> inline V NAME(V x) {                                                                           \
    return poplar::detail::mapLanes([](float a) { return EXPRESSION; }, x);                                            \
  }
POPLAR_IPU_FUNCTION(fabs, __builtin_fabsf(a))
POPLAR_IPU_FUNCTION(sqrt, __builtin_sqrtf(a))
POPLAR_IPU_FUNCTION(rsqrt, 1.0f / __builtin_sqrtf(a))
POPLAR_IPU_FUNCTION(exp, __builtin_expf(a))
POPLAR_IPU_FUNCTION(exp2, __builtin_exp2f(a))
POPLAR_IPU_FUNCTION(log, __builtin_logf(a))
POPLAR_IPU_FUNCTION(log2, __builtin_log2f(a))
POPLAR_IPU_FUNCTION(log10, __builtin_log10f(a))
POPLAR_IPU_FUNCTION(sin, __builtin_sinf(a))
POPLAR_IPU_FUNCTION(cos, __builtin_cosf(a))
POPLAR_IPU_FUNCTION(tanh, __builtin_tanhf(a))
POPLAR_IPU_FUNCTION(sigmoid, 1.0f / (1.0f + __builtin_expf(-a)))
POPLAR_IPU_FUNCTION(floor, __builtin_floorf(a))
POPLAR_IPU_FUNCTION(ceil, __builtin_ceilf(a))
POPLAR_IPU_FUNCTION(round, __builtin_roundf(a))
POPLAR_IPU_FUNCTION(rint, __builtin_rintf(a))
#undef POPLAR_IPU_FUNCTION

template <typename V> inline V fmin(V x, V y) {
  return poplar::detail::mapLanes([](auto a, auto b) { return b < a ? b : a; }, x, y);
}
template <typename V> inline V fmax(V x, V y) {
  return poplar::detail::mapLanes([](auto a, auto b) { return a < b ? b : a; }, x, y);
}
template <typename V> inline V min(V x, V y) { return fmin(x, y); }
template <typename V> inline V max(V x, V y) { return fmax(x, y); }
template <typename V> inline V clamp(V x, V low, V high) { return fmin(fmax(x, low), high); }
template <typename V> inline V copysign(V x, V y) {
  return poplar::detail::mapLanes([](float a, float b) { return __builtin_copysignf(a, b); }, x, y);
}
template <typename V> inline V fma(V x, V y, V z) {
  return poplar::detail::mapLanes([](float a, float b, float c) { return a * b + c; }, x, y, z);
}

/// The sum of all lanes, added in float.
template <typename V> inline float sum(V x) {
  float result = 0;
  for (int i = 0; i < poplar::detail::Lanes<V>::count; ++i)
    result += static_cast<float>(x[i]);
  return result;
}

template <typename V> inline poplar::detail::Mask<V> cmpeq(V x, V y) { return x == y; }
template <typename V> inline poplar::detail::Mask<V> cmpne(V x, V y) { return x != y; }
template <typename V> inline poplar::detail::Mask<V> cmplt(V x, V y) { return x < y; }
template <typename V> inline poplar::detail::Mask<V> cmple(V x, V y) { return x <= y; }
template <typename V> inline poplar::detail::Mask<V> cmpgt(V x, V y) { return x > y; }
template <typename V> inline poplar::detail::Mask<V> cmpge(V x, V y) { return x >= y; }

} // namespace ipu

#endif
