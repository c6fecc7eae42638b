#include <popops/Fill.hpp>
#include <popops/Zero.hpp>

namespace popops {

using namespace poplar;

void zero(Graph &graph, const Tensor &t, program::Sequence &prog, const DebugContext &debugContext) {
  fill(graph, t, prog, 0, {debugContext, "Zero"});
}

void zero(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions, unsigned tile, ComputeSet zeroCS) {
  fill(graph, t, tileRegions, tile, zeroCS, 0);
}

void zero(Graph &graph, const Tensor &t, unsigned tile, ComputeSet zeroCS) { fill(graph, t, tile, zeroCS, 0); }

void zero(Graph &graph, const Tensor &t, const std::vector<std::vector<Interval>> &mapping, ComputeSet zeroCS) {
  fill(graph, t, mapping, zeroCS, 0);
}

} // namespace popops
