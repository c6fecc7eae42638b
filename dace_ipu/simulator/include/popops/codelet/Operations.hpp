// The operations of popops on single elements, for codelets.
#ifndef popops_codelet_Operations_hpp
#define popops_codelet_Operations_hpp

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popops/ExprOp.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace popops {

namespace elements {

// Unsigned arithmetic wraps around, as the machine does.
template <typename T> inline T negative(T x) { return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x)); }

template <typename T> inline T bits(T x, bool leadingZeros) {
  const auto value = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  if (!leadingZeros)
    return static_cast<T>(__builtin_popcountll(value));
  return static_cast<T>(value ? __builtin_clzll(value) - static_cast<int>(64 - 8 * sizeof(T)) : 8 * sizeof(T));
}

inline float inverseDeviation(float variance, float epsilon) { return 1.0f / std::sqrt(variance + epsilon); }
inline float variance(float inverse, float epsilon) { return 1.0f / (inverse * inverse) - epsilon; }

// Arithmetic wraps around, as the machine does: in the widest unsigned type, then cut off.
using Wide = unsigned long long;

template <typename T> inline T quotient(T x, T y) {
  if (y == 0)
    return 0;
  if (std::is_signed_v<T> && y == static_cast<T>(-1))
    return static_cast<T>(-static_cast<Wide>(x));
  return static_cast<T>(x / y);
}

template <typename T> inline T remainder(T x, T y) {
  return y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1)) ? T(0) : static_cast<T>(x % y);
}

template <typename T> inline T power(T x, T y) {
  if (std::is_signed_v<T> && y < 0)
    return x == 1 ? 1 : x == static_cast<T>(-1) ? ((y & 1) ? T(-1) : T(1)) : T(0);
  Wide result = 1, base = static_cast<Wide>(x);
  for (Wide n = static_cast<Wide>(y); n > 0; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return static_cast<T>(result);
}

// Shifts by the width or more leave nothing but the fill.
template <typename T> inline bool isWide(T y) { return static_cast<Wide>(y) >= 8 * sizeof(T); }
template <typename T> inline T left(T x, T y) { return isWide(y) ? T(0) : static_cast<T>(static_cast<Wide>(x) << y); }
template <typename T> inline T right(T x, T y) {
  return isWide(y) ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) >> y);
}
template <typename T> inline T rightSigned(T x, T y) {
  using Signed = std::make_signed_t<T>;
  return static_cast<T>(static_cast<Signed>(x) >> (isWide(y) ? 8 * sizeof(T) - 1 : static_cast<unsigned>(y)));
}

} // namespace elements

// To integers: truncated, and limited to the range, which is what the machine's conversions do; NaN gives 0.
template <typename Dst, typename Src> inline Dst convert(Src x) {
  if constexpr (std::is_same_v<Dst, bool>) {
    return x != static_cast<Src>(0);
  } else if constexpr (!std::is_integral_v<Src> && std::is_integral_v<Dst>) {
    const double value = static_cast<float>(x);
    if (value != value)
      return 0;
    if (value <= static_cast<double>(std::numeric_limits<Dst>::min()))
      return std::numeric_limits<Dst>::min();
    if (value >= static_cast<double>(std::numeric_limits<Dst>::max()))
      return std::numeric_limits<Dst>::max();
    return static_cast<Dst>(value);
  } else {
    return static_cast<Dst>(x);
  }
}

// What a case of an operation is, each only if the operation is this one.
#define POPOPS_CASE(OP, VALUE)                                                                                         \
  if constexpr (op == Op::OP)                                                                                          \
    return VALUE;

namespace elements {

// float, and half by way of float.
template <expr::UnaryOpType op> inline float real(float x) {
  using Op = expr::UnaryOpType;
  POPOPS_CASE(ABSOLUTE, std::fabs(x))
  POPOPS_CASE(ASIN, std::asin(x))
  POPOPS_CASE(CBRT, std::cbrt(x))
  POPOPS_CASE(CEIL, std::ceil(x))
  POPOPS_CASE(COS, std::cos(x))
  POPOPS_CASE(ERF, std::erf(x))
  POPOPS_CASE(EXPONENT, std::exp(x))
  POPOPS_CASE(EXPONENT_MINUS_ONE, std::expm1(x))
  POPOPS_CASE(EXPONENT2, std::exp2(x))
  POPOPS_CASE(FLOOR, std::floor(x))
  POPOPS_CASE(GELU_ERF, 0.5f * x * (1.0f + std::erf(x * 0.70710678f)))
  POPOPS_CASE(INVERSE, 1.0f / x)
  POPOPS_CASE(LOGARITHM, std::log(x))
  POPOPS_CASE(LOGARITHM_ONE_PLUS, std::log1p(x))
  POPOPS_CASE(NEGATE, -x)
  POPOPS_CASE(NEARBY_INT, std::nearbyint(x))
  POPOPS_CASE(RELU, x > 0.0f ? x : 0.0f)
  POPOPS_CASE(ROUND, std::round(x))
  POPOPS_CASE(RSQRT, 1.0f / std::sqrt(x))
  POPOPS_CASE(SIGMOID, 1.0f / (1.0f + std::exp(-x)))
  POPOPS_CASE(SIGNUM, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f)
  POPOPS_CASE(SIN, std::sin(x))
  POPOPS_CASE(SQRT, std::sqrt(x))
  POPOPS_CASE(SQUARE, x * x)
  POPOPS_CASE(TAN, std::tan(x))
  POPOPS_CASE(TANH, std::tanh(x))
  POPOPS_CASE(TRUNC, std::trunc(x))
}

template <expr::UnaryOpType op, typename T> inline auto integer(T x) {
  using Op = expr::UnaryOpType;
  POPOPS_CASE(ABSOLUTE, x < 0 ? negative(x) : x)
  POPOPS_CASE(BITWISE_NOT, ~x)
  POPOPS_CASE(COUNT_LEADING_ZEROS, bits(x, true))
  POPOPS_CASE(NEGATE, negative(x))
  POPOPS_CASE(POPCOUNT, bits(x, false))
  POPOPS_CASE(RELU, x > 0 ? x : 0)
  POPOPS_CASE(SIGNUM, x > 0 ? 1 : x < 0 ? -1 : 0)
  POPOPS_CASE(SQRT, std::sqrt(static_cast<double>(x)))
  POPOPS_CASE(SQUARE, static_cast<unsigned long long>(x) * static_cast<unsigned long long>(x))
}

template <expr::UnaryOpType op, typename T> inline bool question(T x) {
  using Op = expr::UnaryOpType;
  POPOPS_CASE(IS_FINITE, std::isfinite(static_cast<float>(x)))
  POPOPS_CASE(IS_INF, std::isinf(static_cast<float>(x)))
  POPOPS_CASE(IS_NAN, std::isnan(static_cast<float>(x)))
  POPOPS_CASE(LOGICAL_NOT, !x)
}

template <expr::BinaryOpType op> inline float real(float x, float y) {
  using Op = expr::BinaryOpType;
  POPOPS_CASE(ADD, x + y)
  POPOPS_CASE(ATAN2, std::atan2(x, y))
  POPOPS_CASE(DIVIDE, x / y)
  POPOPS_CASE(INV_STD_DEV_TO_VARIANCE, variance(x, y))
  POPOPS_CASE(MAXIMUM, std::fmax(x, y))
  POPOPS_CASE(MINIMUM, std::fmin(x, y))
  POPOPS_CASE(MULTIPLY, x * y)
  POPOPS_CASE(POWER, std::pow(x, y))
  POPOPS_CASE(REMAINDER, std::fmod(x, y))
  POPOPS_CASE(SUBTRACT, x - y)
  POPOPS_CASE(VARIANCE_TO_INV_STD_DEV, inverseDeviation(x, y))
}

template <expr::BinaryOpType op, typename T> inline auto integer(T x, T y) {
  using Op = expr::BinaryOpType;
  POPOPS_CASE(ADD, static_cast<Wide>(x) + static_cast<Wide>(y))
  POPOPS_CASE(BITWISE_AND, x & y)
  POPOPS_CASE(BITWISE_OR, x | y)
  POPOPS_CASE(BITWISE_XOR, x ^ y)
  POPOPS_CASE(BITWISE_XNOR, ~(x ^ y))
  POPOPS_CASE(DIVIDE, quotient(x, y))
  POPOPS_CASE(MAXIMUM, x > y ? x : y)
  POPOPS_CASE(MINIMUM, x < y ? x : y)
  POPOPS_CASE(MULTIPLY, static_cast<Wide>(x) * static_cast<Wide>(y))
  POPOPS_CASE(POWER, power(x, y))
  POPOPS_CASE(REMAINDER, remainder(x, y))
  POPOPS_CASE(SHIFT_LEFT, left(x, y))
  POPOPS_CASE(SHIFT_RIGHT, right(x, y))
  POPOPS_CASE(SHIFT_RIGHT_SIGN_EXTEND, rightSigned(x, y))
  POPOPS_CASE(SUBTRACT, static_cast<Wide>(x) - static_cast<Wide>(y))
}

template <expr::BinaryOpType op, typename T> inline bool relation(T x, T y) {
  using Op = expr::BinaryOpType;
  POPOPS_CASE(EQUAL, x == y)
  POPOPS_CASE(GREATER_THAN_EQUAL, x >= y)
  POPOPS_CASE(GREATER_THAN, x > y)
  POPOPS_CASE(LESS_THAN_EQUAL, x <= y)
  POPOPS_CASE(LESS_THAN, x < y)
  POPOPS_CASE(NOT_EQUAL, x != y)
}

inline constexpr bool isLogical(expr::BinaryOpType op) {
  return op == expr::BinaryOpType::LOGICAL_AND || op == expr::BinaryOpType::LOGICAL_OR;
}

template <expr::BinaryOpType op> inline bool logical(bool x, bool y) {
  using Op = expr::BinaryOpType;
  POPOPS_CASE(LOGICAL_AND, x && y)
  POPOPS_CASE(LOGICAL_OR, x || y)
  POPOPS_CASE(BITWISE_AND, x && y)
  POPOPS_CASE(BITWISE_OR, x || y)
  POPOPS_CASE(BITWISE_XOR, x != y)
  POPOPS_CASE(BITWISE_XNOR, x == y)
  if constexpr (expr::isRelation(op) && !isLogical(op))
    return relation<op>(x, y);
}

} // namespace elements

#undef POPOPS_CASE

/// An operation on one element. Its result has the type of the operand, or is a bool.
template <expr::UnaryOpType op, typename T> inline auto computed(T x) {
  if constexpr (expr::isQuestion(op))
    return elements::question<op>(x);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(elements::integer<op>(x));
  else
    return static_cast<T>(elements::real<op>(static_cast<float>(x)));
}

template <expr::BinaryOpType op, typename T> inline auto computed(T x, T y) {
  if constexpr (std::is_same_v<T, bool>)
    return elements::logical<op>(x, y);
  else if constexpr (expr::isRelation(op))
    return elements::relation<op>(x, y);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(elements::integer<op>(x, y));
  else
    return static_cast<T>(elements::real<op>(static_cast<float>(x), static_cast<float>(y)));
}

template <typename T> inline T selected(T a, T b, bool c) { return c ? a : b; }

template <typename T> inline T clamped(T a, T low, T high) {
  const T least = a < low ? low : a;
  return least > high ? high : least;
}

} // namespace popops

#endif
