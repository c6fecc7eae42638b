// The device programs of view: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct view_state_t {
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

extern const char *const view_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::at;

// Builds the graph of view and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_view(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_B_blocks({6, 4}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {4, 6}, "A");
  poputil::mapTensorLinearly(graph, A);
  Tensor B = graph.addVariable(FLOAT, {6, 4}, "B");
  dace_ipu::mapToBlocks(graph, B, update_B_blocks, {{0, 0, 1}, {1, 0, 1}});
  Tensor A_in_a_row = graph.addVariable(FLOAT, {24}, "A_in_a_row");
  poputil::mapTensorLinearly(graph, A_in_a_row);
  Tensor A_reshaped = graph.addVariable(FLOAT, {6, 4}, "A_reshaped");
  dace_ipu::mapToBlocks(graph, A_reshaped, update_B_blocks, {{0, 0, 1}, {1, 0, 1}});

  streams.copyIn(sequence, "A", A);
  sequence.add(Copy(A.flatten(), A_in_a_row.flatten()));
  sequence.add(Copy(A_in_a_row.flatten(), A_reshaped.flatten()));

  // test_golden.py:4   B[:] = flat + 1
  ComputeSet update_B = graph.addComputeSet("update_B");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_B, "update_B");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A_reshaped"],
        dace_ipu::rows(A_reshaped.slice(at(block.begin(0), block.begin(1)), at(block.end(0), block.end(1)))));
    graph.connect(vertex["B"],
        dace_ipu::rows(B.slice(at(block.begin(0), block.begin(1)), at(block.end(0), block.end(1)))));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setInitialValue(vertex["i1_size"], block.size(1));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(4 * block.size(0) * block.size(1) + block.size(0)));
  }
  sequence.add(Execute(update_B));
  streams.copyOut(sequence, "B", B);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_view(view_state_t *__state, float *A, float *B) {
  dace_ipu::run(__state->ipu_programs, "view", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {4, 6}, {6, 1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {6, 4}, {4, 1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_view(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(view_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("view", view_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(view_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(view_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(view_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(view_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
