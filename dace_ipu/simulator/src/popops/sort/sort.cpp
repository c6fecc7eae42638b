// sort, topK and their relatives.
#include "sorter.hpp"

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

namespace popops {

using namespace poplar;
using sorting::Sorted;

namespace {

[[noreturn]] void fail(const char *function, const DebugContext &debugContext, const std::string &why) {
  const std::string path = debugContext.getPathName();
  throw poputil::poplibs_error(std::string("popops::") + function + (path.empty() ? "" : " '" + path + "'") + ": " + why);
}

void checkKeys(const char *function, const Tensor &keys, const DebugContext &debugContext) {
  const Type type = keys.elementType();
  if (type != FLOAT && type != HALF && type != INT && type != UNSIGNED_INT)
    fail(function, debugContext, "keys of type " + type.toString() +
                                     " are not supported yet; they can be float, half, int and unsigned int");
}

void checkValues(const char *function, const Tensor &keys, const Tensor &values, const DebugContext &debugContext) {
  if (keys.shape() != values.shape())
    fail(function, debugContext,
         "keys " + keys.shapeToString() + " and values " + values.shapeToString() + " must have the same shape");
}

// A dimension as rows {all others, dimension} and back.
class Rows {
public:
  Rows(const char *function, const Tensor &t, unsigned dim, const DebugContext &debugContext) : dim_(dim) {
    if (dim >= t.rank())
      fail(function, debugContext, "there is no dimension " + std::to_string(dim) + " in " + t.shapeToString());
    rolled_ = t.dimRoll(dim, t.rank() - 1).shape();
  }
  Tensor of(const Tensor &t) const {
    const Tensor rolled = t.dimRoll(dim_, t.rank() - 1);
    const std::size_t n = rolled_.back();
    return rolled.reshape({others(), n});
  }
  Tensor back(const Tensor &rows) const {
    std::vector<std::size_t> shape = rolled_;
    shape.back() = rows.dim(1);
    return rows.reshape(shape).dimRoll(static_cast<unsigned>(shape.size()) - 1, dim_);
  }
  std::size_t length() const { return rolled_.back(); }

private:
  unsigned dim_;
  std::vector<std::size_t> rolled_;

  std::size_t others() const {
    std::size_t n = 1;
    for (std::size_t i = 0; i + 1 < rolled_.size(); ++i)
      n *= rolled_[i];
    return n;
  }
};

Sorted sortAll(const char *function, Graph &graph, const Tensor &keys, const Rows &rows, program::Sequence &prog,
               const DebugContext &debugContext) {
  checkKeys(function, keys, debugContext);
  return sorting::sortRows(graph, rows.of(keys), rows.length(), false, prog, {debugContext, function});
}

} // namespace

Tensor sort(Graph &graph, const Tensor &t, unsigned dim, program::Sequence &prog, const DebugContext &debugContext) {
  const Rows rows("sort", t, dim, debugContext);
  const Sorted sorted = sortAll("sort", graph, t, rows, prog, debugContext);
  const Tensor result = graph.clone(t, {debugContext, "sorted"});
  prog.add(program::Copy(rows.back(sorted.keys), result, false, debugContext));
  return result;
}

void sortInPlace(Graph &graph, const Tensor &t, unsigned dim, program::Sequence &prog,
                 const DebugContext &debugContext) {
  const Rows rows("sortInPlace", t, dim, debugContext);
  const Sorted sorted = sortAll("sortInPlace", graph, t, rows, prog, debugContext);
  prog.add(program::Copy(rows.back(sorted.keys), t, false, debugContext));
}

Tensor sortKeyValue(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim, program::Sequence &prog,
                    const DebugContext &debugContext) {
  checkValues("sortKeyValue", k, v, debugContext);
  const Rows rows("sortKeyValue", k, dim, debugContext);
  const Sorted sorted = sortAll("sortKeyValue", graph, k, rows, prog, debugContext);
  const Tensor values = sorting::permuteRows(graph, rows.of(v), sorted.from, prog, {debugContext, "sortKeyValue"});
  const Tensor result = graph.clone(v, {debugContext, "sorted"});
  prog.add(program::Copy(rows.back(values), result, false, debugContext));
  return result;
}

void sortKeyValueInPlace(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim, program::Sequence &prog,
                         const DebugContext &debugContext) {
  checkValues("sortKeyValueInPlace", k, v, debugContext);
  const Rows rows("sortKeyValueInPlace", k, dim, debugContext);
  const Sorted sorted = sortAll("sortKeyValueInPlace", graph, k, rows, prog, debugContext);
  const Tensor values = sorting::permuteRows(graph, rows.of(v), sorted.from, prog, {debugContext, "sortKeyValue"});
  prog.add(program::Copy(rows.back(sorted.keys), k, false, debugContext));
  prog.add(program::Copy(rows.back(values), v, false, debugContext));
}

std::ostream &operator<<(std::ostream &os, const SortOrder &o) {
  return os << (o == SortOrder::NONE ? "none" : o == SortOrder::ASCENDING ? "ascending" : "descending");
}

TopKParams::TopKParams(unsigned k, bool largest, SortOrder sortOrder, bool stableSort) noexcept
    : k(k), largest(largest), sortOrder(sortOrder), stableSort(stableSort) {}

std::ostream &operator<<(std::ostream &os, const TopKParams &p) {
  return os << "{k=" << p.k << ", largest=" << (p.largest ? "true" : "false") << ", sortOrder=" << p.sortOrder
            << ", stableSort=" << (p.stableSort ? "true" : "false") << "}";
}

namespace {

// The best come first; the other order is the reverse, or if equal keys have to keep their order, sorted once more.
Sorted ordered(Graph &graph, const Sorted &best, const TopKParams &params, program::Sequence &prog,
               const DebugContext &debugContext) {
  const SortOrder found = params.largest ? SortOrder::DESCENDING : SortOrder::ASCENDING;
  if (params.sortOrder == SortOrder::NONE || params.sortOrder == found)
    return best;
  const Sorted reversed = {best.keys.reverse(1), best.from.reverse(1)};
  if (!params.stableSort)
    return reversed;
  // Among equal keys the reverse has the last index first: sorted by index, then stably by key.
  const Sorted byIndex = sorting::sortRows(graph, best.from, best.from.dim(1), false, prog, debugContext);
  const Tensor keys = sorting::permuteRows(graph, best.keys, byIndex.from, prog, debugContext);
  const Sorted sorted = sorting::sortRows(graph, keys, keys.dim(1), !params.largest, prog, debugContext);
  return {sorted.keys, sorting::permuteRows(graph, byIndex.keys, sorted.from, prog, debugContext)};
}

Sorted best(const char *function, Graph &graph, program::Sequence &prog, const Tensor &keys, const Rows &rows,
            const TopKParams &params, const DebugContext &debugContext) {
  checkKeys(function, keys, debugContext);
  if (params.k > rows.length())
    fail(function, debugContext, "k is " + std::to_string(params.k) + ", but the last dimension of " +
                                     keys.shapeToString() + " is shorter");
  const DebugContext inner(debugContext, function);
  const Sorted sorted = sorting::sortRows(graph, rows.of(keys), params.k, params.largest, prog, inner);
  return ordered(graph, sorted, params, prog, inner);
}

Rows lastDimension(const char *function, const Tensor &t, const DebugContext &debugContext) {
  if (t.rank() == 0)
    fail(function, debugContext, "a scalar has no last dimension");
  return Rows(function, t, t.rank() - 1, debugContext);
}

} // namespace

Tensor createTopKInput(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, const TopKParams &,
                       const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, {debugContext, "topKInput"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor topK(Graph &graph, program::Sequence &prog, const Tensor &t, const TopKParams &params,
            const DebugContext &debugContext) {
  const Rows rows = lastDimension("topK", t, debugContext);
  return rows.back(best("topK", graph, prog, t, rows, params, debugContext).keys);
}

std::pair<Tensor, Tensor> topKKeyValue(Graph &graph, program::Sequence &prog, const Tensor &keys, const Tensor &values,
                                       const TopKParams &params, const DebugContext &debugContext) {
  checkValues("topKKeyValue", keys, values, debugContext);
  const Rows rows = lastDimension("topKKeyValue", keys, debugContext);
  const Sorted found = best("topKKeyValue", graph, prog, keys, rows, params, debugContext);
  const Tensor picked = sorting::permuteRows(graph, rows.of(values), found.from, prog, {debugContext, "topKKeyValue"});
  return {rows.back(found.keys), rows.back(picked)};
}

std::pair<Tensor, Tensor> topKWithPermutation(Graph &graph, program::Sequence &prog, const Tensor &t,
                                              const TopKParams &params, const DebugContext &debugContext) {
  const Rows rows = lastDimension("topKWithPermutation", t, debugContext);
  const Sorted found = best("topKWithPermutation", graph, prog, t, rows, params, debugContext);
  return {rows.back(found.keys), rows.back(found.from)};
}

} // namespace popops
