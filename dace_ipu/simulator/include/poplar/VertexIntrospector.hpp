// VertexIntrospector: what a performance estimator may ask about a vertex.
#ifndef poplar_VertexIntrospector_hpp
#define poplar_VertexIntrospector_hpp

#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace layout {
enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, CompactPtr };
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements,
  CompactDeltaN
};
std::string to_string(Vector v);
std::string to_string(VectorList v);
} // namespace layout

/// Size of one row of a field.
struct SizeT {
  std::size_t value;
  std::size_t size() const { return value; }
};

/// One field of one vertex: its sizes and, for plain fields, its values.
class FieldData {
public:
  FieldData() = default;
  /// Elements of a vector, rows of a list, 1 for a scalar.
  std::size_t size() const { return size_; }
  unsigned rank() const { return rank_; }
  SizeT operator[](std::size_t i) const { return SizeT{getSizeAtIndex(i)}; }
  std::size_t getSizeAtIndex(std::size_t i) const { return rows_.at(i); }
  const std::string &name() const { return name_; }
  /// Value of a plain field, converted to T. Throws poplar_error if it has none.
  template <typename T> T getInitialValue(const Target &) const { return static_cast<T>(valueAt(0)); }
  template <typename T> std::vector<T> getInitialValues(const Target &) const {
    std::vector<T> result;
    for (std::size_t i = 0; i < values_.size(); ++i)
      result.push_back(static_cast<T>(valueAt(i)));
    return result;
  }
  layout::Vector getProfilerVectorLayout(unsigned nestingLevel) const;
  layout::VectorList getProfilerVectorListLayout() const { return layout::VectorList::NotAVector; }

  /// For the library itself.
  std::string name_;
  std::size_t size_ = 0;
  unsigned rank_ = 0;
  std::vector<std::size_t> rows_;
  std::vector<double> values_;
  unsigned char outerLayout_ = 0;
  unsigned char innerLayout_ = 0;

private:
  double valueAt(std::size_t i) const;
};

/// Gives a performance estimator access to the fields of a vertex by name.
class VertexIntrospector {
public:
  using Lookup = std::function<FieldData(const std::string &)>;
  explicit VertexIntrospector(Lookup lookup, std::string vertexType = {})
      : lookup_(std::move(lookup)), vertexType_(std::move(vertexType)) {}
  FieldData getFieldInfo(const std::string &name) const { return lookup_(name); }
  /// Name of the vertex class with its template arguments, for estimators of a whole template. Not in Poplar.
  const std::string &vertexType() const { return vertexType_; }

private:
  Lookup lookup_;
  std::string vertexType_;
};

/// Estimated work of a vertex: worker slots for a Vertex, tile cycles for a MultiVertex or SupervisorVertex.
struct VertexPerfEstimate {
  std::uint64_t cycles = 0;
  std::uint64_t flops = 0;
  VertexPerfEstimate() = default;
  VertexPerfEstimate(std::uint64_t cycles, std::uint64_t flops = 0) : cycles(cycles), flops(flops) {}
};

using PerfEstimateFunc = std::function<VertexPerfEstimate(const VertexIntrospector &, const Target &)>;

} // namespace poplar

#endif
