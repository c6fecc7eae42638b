// The device programs of reduce_to_scalar: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct reduce_to_scalar_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/combine.hpp>
#include <dace_ipu/integers.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const reduce_to_scalar_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::shape;

// Builds the graph of reduce_to_scalar and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_reduce_to_scalar(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks reduce_values_blocks({100}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {100}, "A");
  dace_ipu::mapToBlocks(graph, A, reduce_values_blocks, {{0, 0, 1}});
  Tensor s = graph.addVariable(FLOAT, {1}, "s");
  graph.setTileMapping(s, 0);
  Tensor s_partial = graph.addVariable(FLOAT, shape(reduce_values_blocks.size() * 6, 1), "s_partial");
  dace_ipu::mapLanes(graph, s_partial, reduce_values_blocks, 6);

  streams.copyIn(sequence, "A", A);

  // test_golden.py:3   s[0] = np.sum(A)
  ComputeSet reduce_values = graph.addComputeSet("reduce_values");
  for (const auto &block : reduce_values_blocks) {
    VertexRef vertex = graph.addVertex(reduce_values, "reduce_values");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["s"], s_partial.slice(6 * block.number(), 6 * block.number() + 6).flatten());
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(3 * block.size(0) + 1));
  }
  sequence.add(Execute(reduce_values));
  dace_ipu::combine(graph, sequence, s_partial, s, {"fold_sum_float32"});
  streams.copyOut(sequence, "s", s);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_reduce_to_scalar(reduce_to_scalar_state_t *__state, float *A, float *s) {
  dace_ipu::run(__state->ipu_programs, "reduce_to_scalar", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {100}, {1}, 0},
       {"s", s, dace_ipu::HostType::Float32, {1}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_reduce_to_scalar(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(reduce_to_scalar_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("reduce_to_scalar", reduce_to_scalar_codelets, {"ipu2", 1, 8, 4}, {
      {"reduce_to_scalar", "the reduction into s (test_golden.py:3) leaves partial results on all tiles, which a tree combines"},
  });
  return 0;
}

extern "C" int __dace_exit_ipu(reduce_to_scalar_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(reduce_to_scalar_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(reduce_to_scalar_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(reduce_to_scalar_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
