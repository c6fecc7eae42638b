#include "estimators.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

[[noreturn]] void fail(const char *function, const DebugContext &dc, const std::string &what) {
  throw poplibs_error(std::string("popops::") + function + " (" + dc.getPathName() + "): " + what);
}

template <typename T>
void addIota(Graph &graph, const Tensor &t, T start, program::Sequence &prog, const DebugContext &dc) {
  if (t.rank() != 1 || t.elementType() != equivalent_device_type<T>().value)
    fail("iota", dc, "a tensor of shape " + t.shapeToString() + " and type " + t.elementType().toString());
  const ComputeSet cs = graph.addComputeSet({dc, "Iota"});
  const auto mapping = graph.getTileMapping(t);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const auto &part : poputil::splitRegionsBetweenWorkers(graph.getTarget(), mapping[tile], 2)) {
      std::vector<T> starts;
      for (const Interval &i : part)
        starts.push_back(static_cast<T>(static_cast<unsigned>(start) + static_cast<unsigned>(i.begin())));
      const VertexRef v = graph.addVertex(cs, poputil::templateVertex("popops::Iota", t.elementType()));
      graph.connect(v["out"], t.slices(part));
      graph.setInitialValue(v["starts"], starts);
      graph.setTileMapping(v, tile);
    }
  prog.add(program::Execute(cs, {dc}));
}

// Whether the column of an element is the index of its row: BOOL {n, width}, mapped like `rows`.
Tensor isIndexed(Graph &graph, const Tensor &rows, const Tensor &indices, program::Sequence &prog,
                 const DebugContext &dc) {
  const Tensor columns = graph.addVariable(indices.elementType(), {rows.dim(1)}, {dc, "Columns"});
  poputil::mapTensorLinearly(graph, columns);
  if (indices.elementType() == INT)
    iota(graph, columns, 0, prog, dc);
  else
    iota(graph, columns, 0u, prog, dc);
  const Tensor mask = graph.addVariable(BOOL, rows.shape(), {dc, "Mask"});
  graph.setTileMapping(mask, graph.getTileMapping(rows));
  eqWithOutput(graph, columns.expand({0}), indices.expand({1}), mask, prog, dc);
  return mask;
}

} // namespace

void iota(Graph &graph, const Tensor &t, unsigned startInteger, program::Sequence &prog,
          const DebugContext &debugContext) {
  addIota(graph, t, startInteger, prog, debugContext);
}

void iota(Graph &graph, const Tensor &t, int startInteger, program::Sequence &prog, const DebugContext &debugContext) {
  addIota(graph, t, startInteger, prog, debugContext);
}

namespace {

void checkOneHot(const Tensor &indices, const Tensor &encoded, const DebugContext &dc) {
  if (encoded.rank() != 2 || indices.rank() != 1 || encoded.dim(0) != indices.dim(0))
    fail("encodeOneHot", dc,
         "indices of shape " + indices.shapeToString() + " for rows of shape " + encoded.shapeToString());
  if (indices.elementType() != INT && indices.elementType() != UNSIGNED_INT)
    fail("encodeOneHot", dc,
         "indices of type " + indices.elementType().toString() + "; they must be int or unsigned int");
}

} // namespace

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded, program::Sequence &prog,
                  const DebugContext &debugContext) {
  checkOneHot(indices, encoded, debugContext);
  const Tensor mask = isIndexed(graph, encoded, indices, prog, {debugContext, "OneHot"});
  castWithOutput(graph, mask, encoded, prog, {debugContext, "OneHot"});
}

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded, program::Sequence &prog,
                  const Tensor &on, const Tensor &off, const DebugContext &debugContext) {
  checkOneHot(indices, encoded, debugContext);
  const Tensor mask = isIndexed(graph, encoded, indices, prog, {debugContext, "OneHot"});
  selectWithOutput(graph, on, off, mask, encoded, prog, {debugContext, "OneHot"});
}

// Source: PopLibs, popopsCycleEstimators.cpp.
poputil::internal::Estimators encodingEstimators() {
  return {{"popops::Iota", [](const VertexIntrospector &vertex, const Target &) -> VertexPerfEstimate {
             const FieldData out = vertex.getFieldInfo("out");
             std::uint64_t slots = 10;
             for (std::size_t row = 0; row < out.size(); ++row)
               slots += 4 + 3 * ((out.getSizeAtIndex(row) + 1) / 2);
             return slots;
           }}};
}

} // namespace popops
