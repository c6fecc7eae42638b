// The vector types as clang has them, here and on the device.
#ifndef poplar_codelet_NativeVectors_hpp
#define poplar_codelet_NativeVectors_hpp

namespace poplar {
namespace detail {

template <typename T, int N> struct NativeVector { typedef T Type __attribute__((ext_vector_type(N))); };
template <typename T, int N> using VectorOf = typename NativeVector<T, N>::Type;

/// Lane type and number of lanes of a scalar or vector type.
template <typename V> struct Lanes {
  using Type = V;
  static constexpr int count = 1;
};
template <typename T, int N> struct Lanes<T __attribute__((ext_vector_type(N)))> {
  using Type = T;
  static constexpr int count = N;
};

} // namespace detail
} // namespace poplar

#endif
