// The device programs of ping_pong: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct ping_pong_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const ping_pong_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of ping_pong and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_ping_pong(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_B_blocks({22}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {24}, "A");
  dace_ipu::mapToBlocks(graph, A, update_B_blocks, {{0, 1, 1}});
  Tensor B = graph.addVariable(FLOAT, {24}, "B");
  dace_ipu::mapToBlocks(graph, B, update_B_blocks, {{0, 1, 1}});

  streams.copyIn(sequence, "A", A);
  streams.copyIn(sequence, "B", B);

  // test_golden.py:4   B[1:-1] = 0.5 * (A[:-2] + A[2:])
  Sequence body;

  ComputeSet update_B = graph.addComputeSet("update_B");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_B, "update_B");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0) + 2));
    graph.connect(vertex["B"], B.slice(block.begin(0) + 1, block.end(0) + 1));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(6 * block.size(0)));
  }
  body.add(Execute(update_B));

  // test_golden.py:5   A[1:-1] = 0.5 * (B[:-2] + B[2:])
  ComputeSet update_A = graph.addComputeSet("update_A");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_A, "update_A");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["B"], B.slice(block.begin(0), block.end(0) + 2));
    graph.connect(vertex["A"], A.slice(block.begin(0) + 1, block.end(0) + 1));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(6 * block.size(0)));
  }
  body.add(Execute(update_A));
  sequence.add(Repeat(5, body));

  streams.copyOut(sequence, "A", A);
  streams.copyOut(sequence, "B", B);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_ping_pong(ping_pong_state_t *__state, float *A, float *B) {
  dace_ipu::run(__state->ipu_programs, "ping_pong", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {24}, {1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {24}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_ping_pong(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(ping_pong_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("ping_pong", ping_pong_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(ping_pong_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(ping_pong_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(ping_pong_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(ping_pong_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
