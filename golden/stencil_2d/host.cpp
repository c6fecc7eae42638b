// The device programs of stencil_2d: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct stencil_2d_state_t {
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

extern const char *const stencil_2d_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::at;

// Builds the graph of stencil_2d and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_stencil_2d(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_B_blocks = dace_ipu::Blocks::ofRows({8, 12}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {10, 14}, "A");
  dace_ipu::mapToBlocks(graph, A, update_B_blocks, {{0, 1, 1}, {1, 1, 1}});
  Tensor B = graph.addVariable(FLOAT, {10, 14}, "B");
  dace_ipu::mapToBlocks(graph, B, update_B_blocks, {{0, 1, 1}, {1, 1, 1}});

  streams.copyIn(sequence, "A", A);
  streams.copyIn(sequence, "B", B);

  // test_golden.py:3   B[1:-1, 1:-1] = 0.25 * (A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])
  ComputeSet update_B = graph.addComputeSet("update_B");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_B, "update_B");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"],
        dace_ipu::rows(A.slice(at(block.begin(0), block.begin(1)), at(block.end(0) + 2, block.end(1) + 2))));
    graph.connect(vertex["B"],
        dace_ipu::rows(B.slice(at(block.begin(0) + 1, block.begin(1) + 1), at(block.end(0) + 1, block.end(1) + 1))));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setInitialValue(vertex["i1_size"], block.size(1));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(10 * block.size(0) * block.size(1) + block.size(0)));
  }
  sequence.add(Execute(update_B));
  streams.copyOut(sequence, "B", B);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_stencil_2d(stencil_2d_state_t *__state, float *A, float *B) {
  dace_ipu::run(__state->ipu_programs, "stencil_2d", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {10, 14}, {14, 1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {10, 14}, {14, 1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_stencil_2d(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(stencil_2d_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("stencil_2d", stencil_2d_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(stencil_2d_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(stencil_2d_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(stencil_2d_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(stencil_2d_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
