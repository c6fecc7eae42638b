// Views: how the elements of a tensor lie in variables.
//
// A view is a tree. A leaf is affine: every dimension is a list of factors (count, stride), outermost first, so that
// a transposed or broadcast tensor can still be flattened into one leaf. An inner node joins views along an axis.
// Views are immutable and shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace dace_ipu_sim {

struct Variable;
class View;
using ViewPtr = std::shared_ptr<const View>;
using Shape = std::vector<std::size_t>;

/// `count` steps of `stride` elements.
struct Factor {
  std::size_t count;
  std::ptrdiff_t stride;
  friend bool operator==(const Factor &a, const Factor &b) { return a.count == b.count && a.stride == b.stride; }
};

/// `count` elements of a variable, `stride` apart.
struct Run {
  const Variable *var;
  std::size_t offset;
  std::ptrdiff_t stride;
  std::size_t count;
  bool contiguous() const { return stride == 1 || count == 1; }
};

using RunSink = std::function<void(const Run &)>;

class View {
public:
  enum class Kind { Empty, Leaf, Concat };

  Kind kind = Kind::Empty;
  Shape shape;
  std::size_t elements = 0;

  // Leaf
  const Variable *var = nullptr;
  std::size_t offset = 0;
  std::vector<Factor> factors;     // of all dimensions
  std::vector<std::uint8_t> split; // number of factors of each dimension

  // Concat
  unsigned axis = 0;
  std::vector<ViewPtr> parts;
  std::vector<std::size_t> starts; // along the axis, one more than parts

  unsigned rank() const { return static_cast<unsigned>(shape.size()); }
};

std::size_t product(const Shape &shape);

/// The whole of a variable.
ViewPtr wholeView(const Variable *var, const Shape &shape);
ViewPtr sliceView(const ViewPtr &v, unsigned dim, std::size_t begin, std::size_t end);
/// Sub-view `i` of a dimension, which is removed.
ViewPtr indexView(const ViewPtr &v, unsigned dim, std::size_t i);
ViewPtr insertDim(const ViewPtr &v, unsigned dim);
/// Removes a dimension of size 1.
ViewPtr removeDim(const ViewPtr &v, unsigned dim);
ViewPtr permuteView(const ViewPtr &v, const std::vector<unsigned> &perm);
ViewPtr reverseView(const ViewPtr &v, unsigned dim);
ViewPtr subSampleView(const ViewPtr &v, unsigned dim, std::size_t step);
/// The whole dimension `n` times over.
ViewPtr broadcastView(const ViewPtr &v, unsigned dim, std::size_t n);
/// Every element of the dimension `n` times.
ViewPtr upsampleView(const ViewPtr &v, unsigned dim, std::size_t n);
/// The same elements in row-major order with another shape of the same size.
ViewPtr reshapeView(const ViewPtr &v, const Shape &shape);
/// Shapes must agree outside `axis`.
ViewPtr concatViews(const std::vector<ViewPtr> &parts, unsigned axis);

/// Calls the sink for the elements in row-major order, as runs as long as they get.
void forEachRun(const View &v, const RunSink &sink);
/// The same elements in an order that makes runs long; elements that occur several times may come once only.
void forEachRunUnordered(const View &v, const RunSink &sink);
/// Some element occurs twice.
bool hasAliases(const View &v);
/// Structural equality.
bool sameView(const View &a, const View &b);
/// If the view is one contiguous range: the variable and offset, else nullptr.
const Variable *contiguousIn(const View &v, std::size_t *offset);
/// Calls f for the variables of the view, possibly repeatedly.
void forEachVariable(const View &v, const std::function<void(const Variable &)> &f);

} // namespace dace_ipu_sim
