// ArrayRef: a view of consecutive elements that somebody else owns.
#ifndef poplar_ArrayRef_hpp
#define poplar_ArrayRef_hpp

#include <poplar/detail/StandardHeaders.hpp>

namespace poplar {

/// A non-owning view of `size()` elements. It must not outlive the storage it was made from.
template <typename T> class ArrayRef {
public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = const T *;
  using const_iterator = const T *;

  constexpr ArrayRef() = default;
  ArrayRef(std::nullptr_t) = delete;
  constexpr ArrayRef(const T *data, std::size_t size) : data_(data), size_(size) {}
  ArrayRef(const std::vector<T> &v) : data_(v.data()), size_(v.size()) {}
  ArrayRef(const std::initializer_list<T> &list) {
    // Assigned here, not initialised: compilers warn about lifetimes for the latter, which callers keep.
    data_ = list.begin();
    size_ = list.size();
  }
  template <std::size_t N> ArrayRef(const std::array<T, N> &a) : data_(a.data()), size_(N) {}
  template <std::size_t N> constexpr ArrayRef(const T (&a)[N]) : data_(a), size_(N) {}

  constexpr const T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  const T &front() const { return data_[0]; }
  const T &back() const { return data_[size_ - 1]; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }

  bool operator==(const ArrayRef &o) const { return size_ == o.size_ && std::equal(begin(), end(), o.begin()); }
  bool operator!=(const ArrayRef &o) const { return !(*this == o); }

private:
  const T *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace poplar

#endif
