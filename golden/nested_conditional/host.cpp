// The device programs of nested_conditional: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct nested_conditional_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const nested_conditional_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of nested_conditional and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_nested_conditional(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_B_blocks({8}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {8, 10}, "A");
  dace_ipu::mapToBlocks(graph, A, update_B_blocks, {{0, 0, 1}, {}});
  Tensor B = graph.addVariable(FLOAT, {8}, "B");
  dace_ipu::mapToBlocks(graph, B, update_B_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "A", A);

  // test_golden.py:3   for i in dace.map[0:8]:
  ComputeSet update_B = graph.addComputeSet("update_B");
  for (const auto &block : update_B_blocks) {
    VertexRef vertex = graph.addVertex(update_B, "update_B");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)).flatten());
    graph.connect(vertex["B"], B.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(67 * block.size(0)));
  }
  sequence.add(Execute(update_B));
  streams.copyOut(sequence, "B", B);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_nested_conditional(nested_conditional_state_t *__state, float *A, float *B) {
  dace_ipu::run(__state->ipu_programs, "nested_conditional", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {8, 10}, {10, 1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {8}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_nested_conditional(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(nested_conditional_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("nested_conditional", nested_conditional_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(nested_conditional_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(nested_conditional_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(nested_conditional_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(nested_conditional_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
