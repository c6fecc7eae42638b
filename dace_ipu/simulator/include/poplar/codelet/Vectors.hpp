// The vector types for compilers without ext_vector_type: lanes with names, operators by lane.
#ifndef poplar_codelet_Vectors_hpp
#define poplar_codelet_Vectors_hpp

#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace poplar {
namespace detail {

template <typename T, int N> struct LaneStorage { T lanes[N]; };
template <typename T> struct LaneStorage<T, 2> { T x, y; };
template <typename T> struct LaneStorage<T, 3> { T x, y, z; };
template <typename T> struct LaneStorage<T, 4> { T x, y, z, w; };

template <int Bytes> struct SignedOfSize;
template <> struct SignedOfSize<1> { using Type = signed char; };
template <> struct SignedOfSize<2> { using Type = short; };
template <> struct SignedOfSize<4> { using Type = int; };
template <> struct SignedOfSize<8> { using Type = long long; };

// At most 8 bytes, the least that edges promise: a wider load of the host must not fault where the device's would not.
constexpr int vectorAlign(int bytes) { return bytes > 4 ? 8 : bytes > 2 ? 4 : bytes; }

// May alias what it is cast from, as a vector may.
template <typename T, int N>
struct __attribute__((may_alias, aligned(vectorAlign(N * sizeof(T))))) Lane : LaneStorage<T, N> {
  using Mask = Lane<typename SignedOfSize<sizeof(T)>::Type, N>;

  Lane() = default;
  // One value fills all lanes; a list fills the first lanes, the others are zero.
  constexpr Lane(T value) : Lane(value, std::make_index_sequence<N>()) {}
  constexpr Lane(std::initializer_list<T> values) : Lane(values, std::make_index_sequence<N>()) {}

  T &operator[](int lane) { return reinterpret_cast<T *>(this)[lane]; }
  const T &operator[](int lane) const { return reinterpret_cast<const T *>(this)[lane]; }

  /// A cast between vectors of one size keeps the bits.
  template <typename U, int M, typename = std::enable_if_t<sizeof(U) * M == sizeof(T) * N>>
  explicit operator Lane<U, M>() const {
    Lane<U, M> result;
    std::memcpy(static_cast<void *>(&result), this, sizeof(result));
    return result;
  }

#define POPLAR_LANEWISE(OP)                                                                                            \
  friend Lane operator OP(const Lane &a, const Lane &b) {                                                              \
    return map(a, b, [](T x, T y) { return static_cast<T>(x OP y); });                                                 \
  }                                                                                                                    \
  friend Lane &operator OP##=(Lane &a, const Lane &b) { return a = a OP b; }
  POPLAR_LANEWISE(+)
  POPLAR_LANEWISE(-)
  POPLAR_LANEWISE(*)
  POPLAR_LANEWISE(/)
  POPLAR_LANEWISE(%)
  POPLAR_LANEWISE(&)
  POPLAR_LANEWISE(|)
  POPLAR_LANEWISE(^)
  POPLAR_LANEWISE(<<)
  POPLAR_LANEWISE(>>)
#undef POPLAR_LANEWISE

#define POPLAR_COMPARISON(OP)                                                                                          \
  friend Mask operator OP(const Lane &a, const Lane &b) {                                                              \
    Mask result;                                                                                                       \
    for (int i = 0; i < N; ++i)                                                                                        \
      result[i] = a[i] OP b[i] ? -1 : 0;                                                                               \
    return result;                                                                                                     \
  }
  POPLAR_COMPARISON(==)
  POPLAR_COMPARISON(!=)
  POPLAR_COMPARISON(<)
  POPLAR_COMPARISON(<=)
  POPLAR_COMPARISON(>)
  POPLAR_COMPARISON(>=)
#undef POPLAR_COMPARISON

  friend Lane operator+(const Lane &a) { return a; }
  friend Lane operator-(const Lane &a) {
    return map(a, a, [](T x, T) { return static_cast<T>(-x); });
  }
  friend Lane operator~(const Lane &a) {
    return map(a, a, [](T x, T) { return static_cast<T>(~x); });
  }
  friend Mask operator!(const Lane &a) { return a == Lane(T(0)); }

private:
  template <std::size_t... I>
  constexpr Lane(T value, std::index_sequence<I...>) : LaneStorage<T, N>{(static_cast<void>(I), value)...} {}
  template <std::size_t... I>
  constexpr Lane(std::initializer_list<T> values, std::index_sequence<I...>)
      : LaneStorage<T, N>{(I < values.size() ? values.begin()[I] : T(0))...} {}

  template <typename Op> static Lane map(const Lane &a, const Lane &b, Op op) {
    Lane result;
    for (int i = 0; i < N; ++i)
      result[i] = op(a[i], b[i]);
    return result;
  }
};

template <typename T, int N> using VectorOf = Lane<T, N>;

/// Lane type and number of lanes of a scalar or vector type.
template <typename V> struct Lanes {
  using Type = V;
  static constexpr int count = 1;
};
template <typename T, int N> struct Lanes<Lane<T, N>> {
  using Type = T;
  static constexpr int count = N;
};

template <typename To, typename T, int N> To convertVector(const Lane<T, N> &from) {
  static_assert(Lanes<To>::count == N, "__builtin_convertvector keeps the number of lanes");
  To result;
  for (int i = 0; i < N; ++i)
    result[i] = static_cast<typename Lanes<To>::Type>(from[i]);
  return result;
}

} // namespace detail
} // namespace poplar

// The builtin takes a value and a type. A value such as half4{a, b, c, d} looks like several arguments of a macro.
#define POPLAR_CONVERT2(A, TYPE) poplar::detail::convertVector<TYPE>(A)
#define POPLAR_CONVERT3(A, B, TYPE) poplar::detail::convertVector<TYPE>(A, B)
#define POPLAR_CONVERT4(A, B, C, TYPE) poplar::detail::convertVector<TYPE>(A, B, C)
#define POPLAR_CONVERT5(A, B, C, D, TYPE) poplar::detail::convertVector<TYPE>(A, B, C, D)
#define POPLAR_CONVERT_OF(A, B, C, D, E, NAME, ...) NAME
#define __builtin_convertvector(...)                                                                                   \
  POPLAR_CONVERT_OF(__VA_ARGS__, POPLAR_CONVERT5, POPLAR_CONVERT4, POPLAR_CONVERT3, POPLAR_CONVERT2, )(__VA_ARGS__)

#endif
