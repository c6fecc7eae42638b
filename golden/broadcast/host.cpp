// The device programs of broadcast: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct broadcast_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/integers.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>
#include <dace_ipu/rows.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>

extern const char *const broadcast_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::at;

// Builds the graph of broadcast and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_broadcast(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_B_blocks({6, 8}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {6, 8}, "A");
  dace_ipu::mapToBlocks(graph, A, update_B_blocks, {{0, 0, 1}, {1, 0, 1}});
  Tensor B = graph.addVariable(FLOAT, {6, 8}, "B");
  dace_ipu::mapToBlocks(graph, B, update_B_blocks, {{0, 0, 1}, {1, 0, 1}});
  Tensor column = graph.addVariable(FLOAT, {6, 1}, "column");
  poputil::mapTensorLinearly(graph, column);
  Tensor row = graph.addVariable(FLOAT, {8}, "row");
  poputil::mapTensorLinearly(graph, row);

  streams.copyIn(sequence, "A", A);
  streams.copyIn(sequence, "column", column);
  streams.copyIn(sequence, "row", row);

  // test_golden.py:3   B[:] = A * row + column
  ComputeSet update_B = graph.addComputeSet("update_B");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_B, "update_B");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["column"], column.slice(block.begin(0), block.end(0)).flatten());
    graph.connect(vertex["A"],
        dace_ipu::rows(A.slice(at(block.begin(0), block.begin(1)), at(block.end(0), block.end(1)))));
    graph.connect(vertex["row"], row.slice(block.begin(1), block.end(1)));
    graph.connect(vertex["B"],
        dace_ipu::rows(B.slice(at(block.begin(0), block.begin(1)), at(block.end(0), block.end(1)))));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setInitialValue(vertex["i1_size"], block.size(1));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(7 * block.size(0) * block.size(1) + block.size(0)));
  }
  sequence.add(Execute(update_B));
  streams.copyOut(sequence, "B", B);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_broadcast(broadcast_state_t *__state, float *A, float *B, float *column, float *row) {
  dace_ipu::run(__state->ipu_programs, "broadcast", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {6, 8}, {8, 1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {6, 8}, {8, 1}, 0},
       {"column", column, dace_ipu::HostType::Float32, {6, 1}, {1, 1}, 0},
       {"row", row, dace_ipu::HostType::Float32, {8}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_broadcast(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(broadcast_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("broadcast", broadcast_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(broadcast_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(broadcast_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(broadcast_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(broadcast_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
