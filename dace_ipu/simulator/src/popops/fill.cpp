#include <popops/Fill.hpp>

#include "estimators.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

// Source: PopLibs, popopsCycleEstimators.cpp.
std::uint64_t fillSlots(const std::string &type, std::uint64_t n) {
  if (type == "half")
    return n == 1 ? 15 : n == 2 ? 21 : 26 + n / 4;
  if (type == "long long" || type == "unsigned long long")
    return 5 + n;
  if (type == "bool" || type.find("char") != std::string::npos)
    return n < 64 ? 28 + n / 4 : 39 + n / 8;
  return 23 + n / 2 + n % 2;
}

std::string argumentOf(const VertexIntrospector &vertex) {
  const std::string &name = vertex.vertexType();
  const std::size_t open = name.find('<');
  return name.substr(open + 1, name.size() - open - 2);
}

VertexPerfEstimate estimateFill(const VertexIntrospector &vertex, const Target &target) {
  return fillSlots(argumentOf(vertex), vertex.getFieldInfo("size").getInitialValue<std::uint64_t>(target));
}

// The loop over rows needs less than a vertex for each: 3 slots, 2 for half.
VertexPerfEstimate estimateFill2d(const VertexIntrospector &vertex, const Target &) {
  const FieldData out = vertex.getFieldInfo("out");
  const std::string type = argumentOf(vertex);
  const bool isHalf = type == "half";
  std::uint64_t slots = 5 + (isHalf ? 0 : 1);
  for (std::size_t row = 0; row < out.size(); ++row)
    slots += fillSlots(type, out.getSizeAtIndex(row)) - (isHalf ? 2 : 3);
  return slots;
}

// One vertex for each contiguous piece of at most a worker's share.
template <typename FillValueType>
void fillTile(Graph &graph, ComputeSet cs, const Tensor &flat, const std::vector<Interval> &intervals, unsigned tile,
              FillValueType value) {
  std::size_t total = 0;
  for (const Interval &interval : intervals)
    total += interval.size();
  const unsigned workers = graph.getTarget().getNumWorkerContexts();
  const std::size_t grain = graph.getTarget().getVectorWidth(flat.elementType());
  const std::size_t share = (total + workers * grain - 1) / (workers * grain) * grain;
  const std::string name = poputil::templateVertex("popops::Fill", flat.elementType());
  for (const std::vector<Interval> &region : graph.getSortedContiguousRegions(flat, intervals)) {
    const Tensor piece = concat(flat.slices(region));
    for (std::size_t begin = 0; begin < piece.numElements(); begin += share) {
      const Tensor out = piece.slice(begin, std::min(begin + share, piece.numElements()));
      const VertexRef v = graph.addVertex(cs, name, {{"out", out}});
      graph.setInitialValue(v["size"], out.numElements());
      graph.setInitialValue(v["in"], value);
      graph.setTileMapping(v, tile);
    }
  }
}

} // namespace

template <typename FillValueType>
void fill(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions, unsigned tile, ComputeSet fillCS,
          FillValueType fillValue) {
  fillTile(graph, fillCS, t.flatten(), tileRegions, tile, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, unsigned tile, ComputeSet fillCS, FillValueType fillValue) {
  fill(graph, t, std::vector<Interval>{{0, t.numElements()}}, tile, fillCS, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, const std::vector<std::vector<Interval>> &mapping, ComputeSet fillCS,
          FillValueType fillValue) {
  const Tensor flat = t.flatten();
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      fillTile(graph, fillCS, flat, mapping[tile], tile, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, program::Sequence &prog, FillValueType fillValue,
          const DebugContext &debugContext) {
  const ComputeSet cs = graph.addComputeSet({debugContext, "Fill"});
  fill(graph, t, graph.getTileMapping(t), cs, fillValue);
  prog.add(program::Execute(cs, {debugContext}));
}

#define INSTANTIATE(T)                                                                                                 \
  template void fill<T>(Graph &, Tensor, const std::vector<Interval> &, unsigned, ComputeSet, T);                      \
  template void fill<T>(Graph &, const Tensor &, unsigned, ComputeSet, T);                                             \
  template void fill<T>(Graph &, const Tensor &, const std::vector<std::vector<Interval>> &, ComputeSet, T);           \
  template void fill<T>(Graph &, const Tensor &, program::Sequence &, T, const DebugContext &);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(int)
INSTANTIATE(unsigned)
INSTANTIATE(short)
INSTANTIATE(unsigned short)
INSTANTIATE(bool)
INSTANTIATE(char)
INSTANTIATE(signed char)
INSTANTIATE(unsigned char)
INSTANTIATE(long)
INSTANTIATE(unsigned long)
INSTANTIATE(long long)
INSTANTIATE(unsigned long long)

poputil::internal::Estimators fillEstimators() {
  return {{"popops::Fill", estimateFill}, {"popops::Fill2d", estimateFill2d}};
}

} // namespace popops
