// The device programs of scalar_return: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct scalar_return_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const scalar_return_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of scalar_return and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_scalar_return(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  Tensor A = graph.addVariable(FLOAT, {20}, "A");
  graph.setTileMapping(A, 0);
  Tensor result = graph.addVariable(FLOAT, {1}, "result");
  graph.setTileMapping(result, 0);

  streams.copyIn(sequence, "A", A);

  // test_golden.py:3   return A[3] + 1
  ComputeSet update_A_slice_plus_1 = graph.addComputeSet("update_A_slice_plus_1");
  VertexRef update_A_slice_plus_1_vertex = graph.addVertex(update_A_slice_plus_1, "update_A_slice_plus_1");
  graph.setTileMapping(update_A_slice_plus_1_vertex, 0);
  graph.connect(update_A_slice_plus_1_vertex["A"], A[3]);
  graph.connect(update_A_slice_plus_1_vertex["result"], result[0]);
  graph.setPerfEstimate(update_A_slice_plus_1_vertex, dace_ipu::vertexCycles(3));
  sequence.add(Execute(update_A_slice_plus_1));
  streams.copyOut(sequence, "__return", result);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_scalar_return(scalar_return_state_t *__state, float *A, float *return_2) {
  dace_ipu::run(__state->ipu_programs, "scalar_return", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {20}, {1}, 0},
       {"__return", return_2, dace_ipu::HostType::Float32, {1}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_scalar_return(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(scalar_return_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("scalar_return", scalar_return_codelets, {"ipu2", 1, 8, 4}, {
      {"scalar_return", "update_A_slice_plus_1 (test_golden.py:3) runs on one tile: it is a single computation"},
  });
  return 0;
}

extern "C" int __dace_exit_ipu(scalar_return_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(scalar_return_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(scalar_return_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(scalar_return_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
