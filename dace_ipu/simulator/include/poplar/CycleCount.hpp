// Cycle counters in programs.
#ifndef poplar_CycleCount_hpp
#define poplar_CycleCount_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/// Wraps `prog` between two readings of the simulated cycle counter. Returns {low word, high word} as
/// UNSIGNED_INT[2] on `tile`. Never zero: two counters back to back differ by 45 cycles.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, const DebugContext &debugContext = {});
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});
/// Appends a reading of the counter to `prog`.
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, const DebugContext &debugContext = {});
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});

} // namespace poplar

#endif
