// Vector: what a codelet sees of a rank-1 edge, of vertex-local data, or of a list of edges.
//
// The device has several layouts (a full pointer and a length, a scaled 16-bit pointer, ...). Here every layout is a
// pointer and a count, DaceIpuSpan in abi/codelet_module.h; the layout only says whether the count may be asked for.
#ifndef poplar_VectorTypes_hpp
#define poplar_VectorTypes_hpp

#include <cstddef>

namespace poplar {

enum class VectorLayout : unsigned {
  NOT_A_VECTOR,
  SPAN,          // pointer and size
  SHORT_SPAN,    // packed pointer and size
  ONE_PTR,       // pointer
  SCALED_PTR32,  // 16-bit pointer in units of 4 bytes
  SCALED_PTR64,  // 16-bit pointer in units of 8 bytes
  SCALED_PTR128, // 16-bit pointer in units of 16 bytes
  COMPACT_PTR    // the smallest pointer that does
};

namespace detail {

constexpr bool hasSize(VectorLayout layout) {
  return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN;
}

/// The layouts without a size: elements by index, and nothing that needs to know where they end.
template <typename T, bool HasSize> class Elements {
public:
  using value_type = T;

  // A template, so that signed indices stay signed: the compiler may then assume that `i + 1` does not wrap.
  template <typename Index> T &operator[](Index index) const { return data_[index]; }
  T *data() const { return data_; }

protected:
  T *data_;
  std::size_t size_;
};

template <typename T> class Elements<T, true> : public Elements<T, false> {
public:
  using iterator = T *;
  using const_iterator = const T *;

  // 32 bits as on the device, so that `unsigned i < v.size()` is a loop with a known trip count.
  unsigned size() const { return static_cast<unsigned>(this->size_); }
  bool empty() const { return this->size_ == 0; }
  T *begin() const { return this->data_; }
  T *end() const { return this->data_ + this->size_; }
};

} // namespace detail

/// `size()`, `begin()` and `end()` exist for SPAN and SHORT_SPAN only. Elements of an Input are not const: programs cast
/// the constness away, and the data of a tile-local edge is the variable itself.
template <typename T, VectorLayout Layout = VectorLayout::SPAN, std::size_t MinAlign = alignof(T),
          bool Interleaved = false>
class Vector : public detail::Elements<T, detail::hasSize(Layout)> {};

} // namespace poplar

#endif
