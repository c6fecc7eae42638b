// half for compilers without _Float16: 16 bits of storage, arithmetic in float, rounded to nearest even each time.
#ifndef poplar_codelet_SoftHalf_hpp
#define poplar_codelet_SoftHalf_hpp

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace poplar {
namespace detail {

inline std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// binary32 to binary16, to nearest, ties to even; overflow gives infinity.
inline std::uint16_t halfBits(float value) {
  const std::uint32_t bits = bitsOf(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) // infinity, or a NaN that stays quiet
    return static_cast<std::uint16_t>(sign | 0x7c00u | (magnitude > 0x7f800000u ? 0x200u | ((magnitude >> 13) & 0x3ffu) : 0));
  if (magnitude >= 0x477ff000u) // rounds to 65536 or more
    return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) // subnormal: let the float adder round at the weight of its last bit, 2^-24
    return static_cast<std::uint16_t>(sign | (bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f)));
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

/// binary16 to binary32, exact.
inline float floatOfHalf(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0)
    return floatOf(sign | bitsOf(static_cast<float>(fraction) * (1.0f / 16777216)));
  return floatOf(sign | ((exponent + 112) << 23) | (fraction << 13));
}

class SoftHalf {
public:
  SoftHalf() = default;
  template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  SoftHalf(T value) : bits_(halfBits(static_cast<float>(value))) {}
  operator float() const { return floatOfHalf(bits_); }

  SoftHalf operator-() const {
    SoftHalf result;
    result.bits_ = bits_ ^ 0x8000u;
    return result;
  }
  SoftHalf &operator++() { return *this = SoftHalf(float(*this) + 1.0f); }
  SoftHalf &operator--() { return *this = SoftHalf(float(*this) - 1.0f); }

private:
  std::uint16_t bits_;
};

/// What half and T give together, as for a built-in type: half with an integer is half, with float is float.
template <typename T>
using WithHalf = typename std::enable_if<std::is_arithmetic<T>::value,
                                         typename std::conditional<std::is_integral<T>::value, SoftHalf, T>::type>::type;

#define POPLAR_SOFT_HALF_ARITHMETIC(OP)                                                                                \
  inline SoftHalf operator OP(SoftHalf a, SoftHalf b) { return SoftHalf(float(a) OP float(b)); }                       \
  template <typename T> inline WithHalf<T> operator OP(SoftHalf a, T b) { return WithHalf<T>(a) OP WithHalf<T>(b); }    \
  template <typename T> inline WithHalf<T> operator OP(T a, SoftHalf b) { return WithHalf<T>(a) OP WithHalf<T>(b); }    \
  template <typename T> inline SoftHalf &operator OP##=(SoftHalf &a, T b) { return a = SoftHalf(float(a OP b)); }
POPLAR_SOFT_HALF_ARITHMETIC(+)
POPLAR_SOFT_HALF_ARITHMETIC(-)
POPLAR_SOFT_HALF_ARITHMETIC(*)
POPLAR_SOFT_HALF_ARITHMETIC(/)
#undef POPLAR_SOFT_HALF_ARITHMETIC

#define POPLAR_SOFT_HALF_COMPARISON(OP)                                                                                \
  inline bool operator OP(SoftHalf a, SoftHalf b) { return float(a) OP float(b); }                                     \
  template <typename T, typename = WithHalf<T>> inline bool operator OP(SoftHalf a, T b) {                             \
    return WithHalf<T>(a) OP WithHalf<T>(b);                                                                           \
  }                                                                                                                    \
  template <typename T, typename = WithHalf<T>> inline bool operator OP(T a, SoftHalf b) {                             \
    return WithHalf<T>(a) OP WithHalf<T>(b);                                                                           \
  }
POPLAR_SOFT_HALF_COMPARISON(==)
POPLAR_SOFT_HALF_COMPARISON(!=)
POPLAR_SOFT_HALF_COMPARISON(<)
POPLAR_SOFT_HALF_COMPARISON(<=)
POPLAR_SOFT_HALF_COMPARISON(>)
POPLAR_SOFT_HALF_COMPARISON(>=)
#undef POPLAR_SOFT_HALF_COMPARISON

} // namespace detail
} // namespace poplar

#endif
