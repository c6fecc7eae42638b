// Interval: a half-open range of element indices.
#ifndef poplar_Interval_hpp
#define poplar_Interval_hpp

#include <cstddef>
#include <ostream>
#include <tuple>

namespace poplar {

/// The half-open range [begin, end).
template <typename T> class GenericInterval {
public:
  GenericInterval() : begin_(), end_() {}
  GenericInterval(T begin, T end) : begin_(begin), end_(end) {}

  const T &begin() const { return begin_; }
  const T &end() const { return end_; }
  const T &lower() const { return begin_; }
  const T &upper() const { return end_; }
  T size() const { return end_ - begin_; }

  friend bool operator==(const GenericInterval &a, const GenericInterval &b) { return a.key() == b.key(); }
  friend bool operator!=(const GenericInterval &a, const GenericInterval &b) { return a.key() != b.key(); }
  friend bool operator<(const GenericInterval &a, const GenericInterval &b) { return a.key() < b.key(); }
  friend bool operator<=(const GenericInterval &a, const GenericInterval &b) { return a.key() <= b.key(); }
  friend bool operator>(const GenericInterval &a, const GenericInterval &b) { return a.key() > b.key(); }
  friend bool operator>=(const GenericInterval &a, const GenericInterval &b) { return a.key() >= b.key(); }
  friend std::ostream &operator<<(std::ostream &os, const GenericInterval &i) {
    return os << '[' << i.begin_ << ',' << i.end_ << ')';
  }

private:
  std::tuple<const T &, const T &> key() const { return std::tie(begin_, end_); }
  T begin_;
  T end_;
};

using Interval = GenericInterval<std::size_t>;

} // namespace poplar

#endif
