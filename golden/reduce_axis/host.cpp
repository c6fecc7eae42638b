// The device programs of reduce_axis: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct reduce_axis_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const reduce_axis_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of reduce_axis and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_reduce_axis(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks reduce_output_blocks({12}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {12, 9}, "A");
  dace_ipu::mapToBlocks(graph, A, reduce_output_blocks, {{0, 0, 1}, {}});
  Tensor r = graph.addVariable(FLOAT, {12}, "r");
  dace_ipu::mapToBlocks(graph, r, reduce_output_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "A", A);

  // test_golden.py:3   r[:] = np.max(A, axis=1)
  ComputeSet reduce_output = graph.addComputeSet("reduce_output");
  for (const auto &block : reduce_output_blocks) {
    VertexRef vertex = graph.addVertex(reduce_output, "reduce_output");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["r"], r.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)).flatten());
    graph.setInitialValue(vertex["o0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(48 * block.size(0)));
  }
  sequence.add(Execute(reduce_output));
  streams.copyOut(sequence, "r", r);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_reduce_axis(reduce_axis_state_t *__state, float *A, float *r) {
  dace_ipu::run(__state->ipu_programs, "reduce_axis", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {12, 9}, {9, 1}, 0},
       {"r", r, dace_ipu::HostType::Float32, {12}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_reduce_axis(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(reduce_axis_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("reduce_axis", reduce_axis_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(reduce_axis_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(reduce_axis_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(reduce_axis_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(reduce_axis_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
