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

} // namespace detail

/// `size()`, `begin()` and `end()` exist for SPAN and SHORT_SPAN only. Elements of an Input are not const: programs cast
/// the constness away, and the data of a tile-local edge is the variable itself.
template <typename T, VectorLayout Layout = VectorLayout::SPAN, std::size_t MinAlign = alignof(T),
          bool Interleaved = false>
class Vector {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  // A template, so that signed indices stay signed: the compiler may then assume that `i + 1` does not wrap.
  template <typename Index> T &operator[](Index index) const { return data_[index]; }
  T *data() const { return data_; }

  // 32 bits as on the device, so that `unsigned i < v.size()` is a loop with a known trip count.
  unsigned size() const {
    checkSized();
    return static_cast<unsigned>(size_);
  }
  bool empty() const { return size() == 0; }
  T *begin() const {
    checkSized();
    return data_;
  }
  T *end() const {
    checkSized();
    return data_ + size_;
  }

private:
  static void checkSized() {
    static_assert(detail::hasSize(Layout), "only the layouts SPAN and SHORT_SPAN have size(), begin() and end()");
  }

  T *data_;
  std::size_t size_;
};

} // namespace poplar

#endif
