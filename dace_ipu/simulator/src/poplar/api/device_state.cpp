// Cycle counters, control registers and seeds.
#include "../core/graph_core.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

using dace_ipu_sim::ProgramKind;
using dace_ipu_sim::ProgramNode;

namespace {

program::Program registerNode(ProgramKind kind, unsigned id, const Tensor *result, const DebugContext &dc) {
  auto n = std::make_shared<ProgramNode>();
  n->kind = kind;
  n->id = id;
  n->name = dc.getPathName();
  if (result)
    n->tensors = {*result};
  return program::Program(n);
}

Tensor counterTensor(Graph &graph, unsigned tile, const char *name, const DebugContext &dc) {
  const Tensor t = graph.addVariable(UNSIGNED_INT, {2}, DebugContext(dc, name));
  graph.setTileMapping(t, tile);
  return t;
}

} // namespace

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, const DebugContext &dc) {
  const Tensor result = counterTensor(graph, tile, "cycleCount", dc);
  const unsigned id = graph.core().cycleCounters++;
  program::Sequence wrapped(dc);
  wrapped.add(registerNode(ProgramKind::CycleStart, id, nullptr, dc));
  wrapped.add(prog);
  wrapped.add(registerNode(ProgramKind::CycleEnd, id, &result, dc));
  prog = wrapped;
  return result;
}

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType, const DebugContext &dc) {
  return cycleCount(graph, prog, tile, dc);
}

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, const DebugContext &dc) {
  const Tensor result = counterTensor(graph, tile, "cycleStamp", dc);
  prog.add(registerNode(ProgramKind::CycleStamp, 0, &result, dc));
  return result;
}

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType, const DebugContext &dc) {
  return cycleStamp(graph, prog, tile, dc);
}

namespace {

unsigned registerValue(const Graph &graph, const FloatingPointBehaviour &b) {
  return graph.getTarget().makeFpIctlValue(b.inv, b.div0, b.oflo, b.esr, b.nanoo);
}

} // namespace

namespace {

program::Program registerChange(unsigned clear, unsigned set, const DebugContext &dc) {
  auto n = std::make_shared<ProgramNode>();
  n->kind = ProgramKind::SetFpControl;
  n->name = dc.getPathName();
  n->values = {static_cast<std::int32_t>(clear), static_cast<std::int32_t>(set)};
  return program::Program(n);
}

} // namespace

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const FloatingPointBehaviour &behaviour,
                               const DebugContext &dc) {
  prog.add(registerChange(~0u, registerValue(graph, behaviour), dc));
}

void setFloatingPointBehaviour(Graph &, program::Sequence &prog, const Tensor &behaviour, const DebugContext &dc) {
  if (behaviour.elementType() != UNSIGNED_INT || behaviour.numElements() != 1)
    throw type_error("setFloatingPointBehaviour: needs one unsigned int, not " + behaviour.getDebugStr());
  prog.add(registerNode(ProgramKind::SetFpControl, 0, &behaviour, dc));
}

void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable, const DebugContext &dc) {
  const unsigned bit = graph.getTarget().makeFpIctlValue(false, false, false, true, false);
  prog.add(registerChange(bit, enable ? bit : 0, dc));
}

Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set, const DebugContext &dc) {
  const Tensor before = graph.addVariable(UNSIGNED_INT, {}, DebugContext(dc, "fpBehaviour"));
  graph.setTileMapping(before, 0);
  prog.add(registerNode(ProgramKind::GetFpControl, 0, &before, dc));
  prog.add(registerChange(registerValue(graph, clear), registerValue(graph, set), dc));
  return before;
}

namespace {

// Made once; mapped as the registers are, a row a tile.
const Tensor &seedsOf(Graph &graph) {
  Tensor &seeds = graph.core().hwSeeds;
  if (!seeds.valid()) {
    const unsigned tiles = graph.getTarget().getNumTiles();
    seeds = graph.addVariable(UNSIGNED_INT, {tiles, graph.getTarget().getNumWorkerContexts(), 4}, "hwSeeds");
    for (unsigned tile = 0; tile < tiles; ++tile)
      graph.setTileMapping(seeds[tile], tile);
    graph.setInitialValue(seeds, 0u);
  }
  return seeds;
}

} // namespace

Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &dc) {
  const Tensor &seeds = seedsOf(graph);
  const Tensor copy = graph.clone(seeds, DebugContext(dc, "hwSeeds"));
  prog.add(program::Copy(seeds, copy));
  return copy;
}

void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog, const DebugContext &dc) {
  prog.add(program::Copy(hwSeeds, seedsOf(graph), dc));
}

} // namespace poplar
