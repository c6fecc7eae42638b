// The device programs of add_constant: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct add_constant_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const add_constant_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of add_constant and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_add_constant(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_C_blocks({20}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {20}, "A");
  dace_ipu::mapToBlocks(graph, A, update_C_blocks, {{0, 0, 1}});
  Tensor C = graph.addVariable(FLOAT, {20}, "C");
  dace_ipu::mapToBlocks(graph, C, update_C_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "A", A);

  // test_golden.py:3   C[:] = A + 5
  ComputeSet update_C = graph.addComputeSet("update_C");
  for (const auto &block : update_C_blocks) {
    VertexRef vertex = graph.addVertex(update_C, "update_C");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["C"], C.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(4 * block.size(0)));
  }
  sequence.add(Execute(update_C));
  streams.copyOut(sequence, "C", C);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_add_constant(add_constant_state_t *__state, float *A, float *C) {
  dace_ipu::run(__state->ipu_programs, "add_constant", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {20}, {1}, 0},
       {"C", C, dace_ipu::HostType::Float32, {20}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_add_constant(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(add_constant_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("add_constant", add_constant_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(add_constant_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(add_constant_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(add_constant_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(add_constant_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
