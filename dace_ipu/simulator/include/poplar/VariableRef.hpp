// VariableRef: names a variable of a graph; VariableInterval a part of it.
#ifndef poplar_VariableRef_hpp
#define poplar_VariableRef_hpp

#include <poplar/Interval.hpp>

#include <cstddef>
#include <functional>

namespace poplar {

/// Identifies one variable (or constant) of a graph.
class VariableRef {
public:
  VariableRef() = default;
  explicit VariableRef(unsigned id) : id_(id) {}
  unsigned id() const { return id_; }
  std::size_t hash() const { return id_; }
  friend bool operator==(const VariableRef &a, const VariableRef &b) { return a.id_ == b.id_; }
  friend bool operator!=(const VariableRef &a, const VariableRef &b) { return a.id_ != b.id_; }
  friend bool operator<(const VariableRef &a, const VariableRef &b) { return a.id_ < b.id_; }

private:
  unsigned id_ = ~0u;
};

/// Consecutive elements of a variable.
struct VariableInterval {
  VariableInterval() = default;
  VariableInterval(VariableRef var, Interval interval) : var(var), interval(interval) {}
  VariableRef var;
  Interval interval;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(const poplar::VariableRef &v) const { return v.hash(); }
};
} // namespace std

#endif
