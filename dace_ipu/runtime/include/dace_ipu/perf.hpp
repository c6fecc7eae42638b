// Cycles of vertices from the issue slots of their code, for Graph::setPerfEstimate.
#ifndef DACE_IPU_PERF_HPP
#define DACE_IPU_PERF_HPP

#include <algorithm>
#include <cstdint>

namespace dace_ipu {

/// Tile cycles of a MultiVertex whose workers issue `slots` in all: six workers, each of which issues every sixth
/// cycle, and the supervisor's start of a vertex as PopLibs counts it (11 cycles, popopsCycleEstimators.cpp).
inline std::uint64_t multiVertexCycles(std::int64_t slots) {
  const std::uint64_t workers = 6, start = 11;
  const std::uint64_t needed = static_cast<std::uint64_t>(std::max<std::int64_t>(slots, 0));
  return workers * ((needed + workers - 1) / workers) + start;
}

/// The estimate of a plain vertex: the slots of its one worker, which Poplar turns into tile cycles itself.
inline std::uint64_t vertexCycles(std::int64_t slots) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(slots, 1));
}

} // namespace dace_ipu

#endif // DACE_IPU_PERF_HPP
