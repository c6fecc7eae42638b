#include "estimators.hpp"

#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Rearrange.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using poputil::GroupingInfo;
using poputil::poplibs_error;

namespace {

Type bitsOf(const Type &type, const Target &target) {
  switch (target.getTypeSize(type)) {
  case 1:
    return UNSIGNED_CHAR;
  case 2:
    return UNSIGNED_SHORT;
  case 4:
    return UNSIGNED_INT;
  default:
    return UNSIGNED_LONGLONG;
  }
}

unsigned tileOfFirst(const Graph &graph, const Tensor &matrix) {
  const auto mapping = graph.getTileMapping(matrix.flatten().slice(0, 1));
  const auto it = std::find_if(mapping.begin(), mapping.end(), [](const auto &tile) { return !tile.empty(); });
  return static_cast<unsigned>(it - mapping.begin());
}

// The matrices of a tile, shared out to its workers.
void addTransposes(Graph &graph, const ComputeSet &cs, const Tensor &in, const Tensor &out,
                   const std::vector<std::size_t> &matrices, unsigned tile) {
  const Type bits = bitsOf(in.elementType(), graph.getTarget());
  const std::size_t workers = graph.getTarget().getNumWorkerContexts();
  const std::size_t share = (matrices.size() + workers - 1) / workers;
  for (std::size_t begin = 0; begin < matrices.size(); begin += share) {
    std::vector<Tensor> from, to;
    for (std::size_t i = begin; i < std::min(begin + share, matrices.size()); ++i) {
      from.push_back(in[matrices[i]].flatten().reinterpret(bits));
      to.push_back(out[matrices[i]].flatten().reinterpret(bits));
    }
    const VertexRef v = graph.addVertex(cs, poputil::templateVertex("popops::Transpose", bits));
    graph.connect(v["in"], from);
    graph.connect(v["out"], to);
    graph.setInitialValue(v["rows"], in.dim(1));
    graph.setInitialValue(v["columns"], in.dim(2));
    graph.setTileMapping(v, tile);
  }
}

} // namespace

namespace rearrange {

Tensor partialTranspose(Graph &graph, const Tensor &in, const ComputeSet &cs, const DebugContext &debugContext) {
  if (in.rank() < 2)
    throw poplibs_error("popops::rearrange::partialTranspose (" + debugContext.getPathName() + "): a tensor of shape " +
                        in.shapeToString() + " has no two dimensions");
  std::vector<std::size_t> shape = in.shape();
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  const Tensor out = graph.addVariable(in.elementType(), shape, {debugContext, "Transposed"});
  const unsigned outer = in.rank() - 2;
  const Tensor from = in.expand({0}).flatten(0, outer + 1), to = out.expand({0}).flatten(0, outer + 1);
  if (in.numElements() == 0)
    return out;
  std::vector<std::vector<std::size_t>> matrices(graph.getTarget().getNumTiles());
  for (std::size_t m = 0; m < from.dim(0); ++m) {
    const unsigned tile = tileOfFirst(graph, from[m]);
    graph.setTileMapping(to[m], tile);
    matrices[tile].push_back(m);
  }
  for (unsigned tile = 0; tile < matrices.size(); ++tile)
    addTransposes(graph, cs, from, to, matrices[tile], tile);
  return out;
}

unsigned getMinimumRegroupGrainSize(const Type &type) {
  if (type == HALF || type == SHORT || type == UNSIGNED_SHORT)
    return 4;
  return type == FLOAT || type == INT || type == UNSIGNED_INT ? 2 : 8;
}

namespace {

void checkGroups(const Tensor &t, const GroupingInfo &from, const GroupingInfo &to, const DebugContext &dc) {
  const auto fits = [&](const GroupingInfo &g) {
    return g.first < t.rank() && g.second > 0 && t.dim(g.first) % g.second == 0;
  };
  if (!fits(from) || !fits(to) || from.first == to.first)
    throw poplibs_error("popops::rearrange::regroupTensor (" + dc.getPathName() + "): groups of " +
                        std::to_string(from.second) + " of dimension " + std::to_string(from.first) + " and " +
                        std::to_string(to.second) + " of dimension " + std::to_string(to.first) +
                        " do not fit shape " + t.shapeToString());
}

Tensor regroup(Graph &graph, const Tensor &t, const ComputeSet &cs, const GroupingInfo &from, const GroupingInfo &to,
               const DebugContext &dc) {
  checkGroups(t, from, to, dc);
  std::vector<std::size_t> factors(t.rank(), 1);
  factors[from.first] = from.second;
  factors[to.first] = to.second;
  // {outer dimensions ..., inner dimensions ...}: the two groups go to the end, `from` innermost.
  const unsigned rank = t.rank();
  const unsigned a = rank + to.first, b = rank + from.first, last = 2 * rank - 1;
  std::vector<unsigned> order;
  for (unsigned d = 0; d <= last; ++d)
    if (d != a && d != b)
      order.push_back(d);
  order.push_back(a);
  order.push_back(b);
  const Tensor grouped = poputil::factorDims(t, factors).dimShuffle(order);
  const Tensor transposed = partialTranspose(graph, grouped, cs, dc);
  std::vector<unsigned> back(order.size());
  std::swap(order[last], order[last - 1]); // the transposition exchanged them
  for (unsigned d = 0; d < order.size(); ++d)
    back[order[d]] = d;
  return poputil::unfactorDims(transposed.dimShuffle(back), rank);
}

// What to regroup from; size 0 if nothing is gained.
GroupingInfo sourceGroup(const Graph &graph, const Tensor &t, const GroupingInfo &to) {
  const unsigned grain = getMinimumRegroupGrainSize(t.elementType());
  const GroupingInfo none(0, 0);
  if (t.rank() < 2 || t.numElements() == 0 || to.second % grain != 0 || to.first >= t.rank() ||
      t.dim(to.first) % to.second != 0)
    return none;
  const auto groups = poputil::detectDimGroupings(graph, t);
  if (groups.empty() || groups[0].first == to.first || groups[0].second % grain != 0)
    return none;
  return groups[0];
}

} // namespace

Tensor regroupTensor(Graph &graph, const Tensor &t, program::Sequence &, const ComputeSet &transposeCS,
                     const GroupingInfo &from, const GroupingInfo &to, const DebugContext &debugContext) {
  return regroup(graph, t, transposeCS, from, to, debugContext);
}

Tensor regroupTensor(Graph &graph, const Tensor &t, std::vector<program::Copy> &, const ComputeSet &transposeCS,
                     const GroupingInfo &from, const GroupingInfo &to, const DebugContext &debugContext) {
  return regroup(graph, t, transposeCS, from, to, debugContext);
}

Tensor regroupIfPossible(Graph &graph, const Tensor &t, program::Sequence &prog, const GroupingInfo &to,
                         const DebugContext &debugContext) {
  const GroupingInfo from = sourceGroup(graph, t, to);
  if (from.second == 0)
    return t;
  const ComputeSet cs = graph.addComputeSet({debugContext, "Regroup"});
  const Tensor result = regroup(graph, t, cs, from, to, debugContext);
  prog.add(program::Execute(cs, {debugContext}));
  return result;
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref, program::Sequence &prog,
                           const DebugContext &debugContext) {
  const auto groups =
      ref.rank() == in.rank() && ref.rank() > 0 ? poputil::detectDimGroupings(graph, ref) : std::vector<GroupingInfo>();
  return groups.empty() ? in : regroupIfPossible(graph, in, prog, groups[0], debugContext);
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref, std::vector<program::Copy> &,
                           ComputeSet transposeCS, const DebugContext &debugContext) {
  const auto groups =
      ref.rank() == in.rank() && ref.rank() > 0 ? poputil::detectDimGroupings(graph, ref) : std::vector<GroupingInfo>();
  const GroupingInfo from = groups.empty() ? GroupingInfo(0, 0) : sourceGroup(graph, in, groups[0]);
  return from.second == 0 ? in : regroup(graph, in, transposeCS, from, groups[0], debugContext);
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, std::size_t preferredGrouping, program::Sequence &prog,
                           const DebugContext &debugContext) {
  if (in.rank() == 0)
    return in;
  const GroupingInfo to(in.rank() - 1, static_cast<unsigned>(preferredGrouping));
  return to.second == 0 ? in : regroupIfPossible(graph, in, prog, to, debugContext);
}

} // namespace rearrange

// Two-dimensional copies, an element a store; blocks of 4 x 4 halves and 2 x 2 floats go by vectors. Source: PopLibs,
// popopsCycleEstimators.cpp, without its special cases for single blocks.
poputil::internal::Estimators rearrangeEstimators() {
  return {{"popops::Transpose", [](const VertexIntrospector &vertex, const Target &target) -> VertexPerfEstimate {
             const auto value = [&](const char *field) {
               return vertex.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
             };
             const bool isShort = vertex.vertexType().find("short") != std::string::npos;
             const std::uint64_t grain = isShort ? 4 : 2, rows = value("rows"), columns = value("columns");
             const bool byBlocks = rows % grain == 0 && columns % grain == 0;
             const std::uint64_t matrix = byBlocks ? rows * columns / grain + 8 : rows * (3 + 2 * columns) + 6;
             return 20 + vertex.getFieldInfo("in").size() * matrix;
           }}};
}

} // namespace popops
