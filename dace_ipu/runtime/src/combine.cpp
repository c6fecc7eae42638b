#include <dace_ipu/combine.hpp>
#include <dace_ipu/perf.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dace_ipu {

namespace {

/// A combination under construction: `partial` is {lanes, floats}, `target` {floats}, an element has `components`.
struct Combination {
  poplar::Graph &graph;
  std::size_t components;

  /// How many elements go into one 32-bit word; two tiles must not write the same one.
  std::size_t grain(const poplar::Tensor &target) const {
    return std::max<std::size_t>(1, 4 / (graph.getTarget().getTypeSize(target.elementType()) * components));
  }

  /// One vertex for each of `groups` runs of lanes and each of `chunks` runs of elements. `result` is {groups, floats}.
  void level(poplar::ComputeSet cs, const char *codelet, const poplar::Tensor &partial, const poplar::Tensor &result,
             std::size_t groups, std::size_t chunks, bool mapResult) const {
    const std::size_t lanes = partial.dim(0), elements = partial.dim(1) / components, unit = grain(result);
    const std::size_t units = (elements + unit - 1) / unit, tiles = graph.getTarget().getNumTiles();
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::size_t c = 0; c < chunks; ++c) {
        const std::size_t firstLane = lanes * g / groups, lastLane = lanes * (g + 1) / groups;
        const std::size_t first = units * c / chunks * unit;
        const std::size_t last = std::min(units * (c + 1) / chunks * unit, elements);
        const unsigned tile = static_cast<unsigned>((g * chunks + c) * tiles / (groups * chunks));
        const poplar::Tensor part = result[g].slice(first * components, last * components);
        if (mapResult)
          graph.setTileMapping(part, tile);
        const poplar::VertexRef vertex = graph.addVertex(cs, codelet);
        graph.setTileMapping(vertex, tile);
        graph.connect(vertex["partials"],
                      partial.slice(firstLane, lastLane).slice(first * components, last * components, 1).flatten());
        graph.connect(vertex["result"], part);
        graph.setInitialValue(vertex["lanes"], lastLane - firstLane);
        graph.setInitialValue(vertex["size"], last - first);
        graph.setPerfEstimate(vertex,
                              vertexCycles(static_cast<std::int64_t>(3 * (lastLane - firstLane) * (last - first))));
      }
    }
  }
};

/// How many levels make a tree over `lanes` partial results fast. A level costs a compute set with its exchange, about
/// 300 cycles, and as many turns as its vertices have lanes, of 3 slots for each of `size` elements: 18 cycles.
unsigned levels(std::size_t lanes, std::size_t size) {
  const auto cycles = [=](unsigned count) {
    const double fan = std::pow(static_cast<double>(lanes), 1.0 / count);
    return count * (300.0 + 18.0 * fan * static_cast<double>(size));
  };
  unsigned best = 1;
  for (unsigned count = 2; count <= 4; ++count)
    best = cycles(count) < cycles(best) ? count : best;
  return best;
}

/// The number of vertices that a level of `lanes` partial results needs with `after` levels behind it.
std::size_t groupsBefore(unsigned after, std::size_t lanes) {
  return static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(lanes), after / (after + 1.0)) - 1e-9));
}

} // namespace

void combine(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &partial,
             const poplar::Tensor &target, const CombineCodelets &codelets, unsigned components) {
  const std::size_t floats = target.numElements();
  if (floats == 0)
    return;
  const Combination tree{graph, components};
  const std::size_t unit = tree.grain(target);
  const std::size_t units = (floats / components + unit - 1) / unit;
  const std::size_t workers = 6 * static_cast<std::size_t>(graph.getTarget().getNumTiles());
  const std::size_t chunks = std::min(units, workers);
  const auto run = [&](const char *codelet, const poplar::Tensor &from, const poplar::Tensor &to, bool mapResult) {
    const poplar::ComputeSet cs = graph.addComputeSet(codelet);
    tree.level(cs, codelet, from, to, to.dim(0), chunks, mapResult);
    sequence.add(poplar::program::Execute(cs));
  };

  poplar::Tensor rest = partial.reshape({partial.dim(0), floats});
  for (unsigned after = levels(rest.dim(0), (units + chunks - 1) / chunks * unit) - 1; after > 0; --after) {
    const std::size_t groups = std::min(groupsBefore(after, rest.dim(0)), workers / chunks);
    if (groups < 2)
      continue;
    const poplar::Tensor folded = graph.addVariable(partial.elementType(), {groups, floats}, "folded");
    run(codelets.fold, rest, folded, true);
    rest = folded;
  }
  run(codelets.last, rest, target.flatten().expand({0}), false);
}

} // namespace dace_ipu
