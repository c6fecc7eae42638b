// The device programs of suffix_sum: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct suffix_sum_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/integers.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const suffix_sum_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of suffix_sum and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_suffix_sum(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_y_blocks({4}, graph.getTarget().getNumTiles());

  Tensor x = graph.addVariable(FLOAT, {4}, "x");
  dace_ipu::mapToBlocks(graph, x, update_y_blocks, {{0, 0, 1}});
  Tensor y = graph.addVariable(FLOAT, {4}, "y");
  dace_ipu::mapToBlocks(graph, y, update_y_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "x", x);

  // test_golden.py:3   for i in dace.map[0:4]:
  ComputeSet update_y = graph.addComputeSet("update_y");
  for (const auto &block : update_y_blocks) {
    VertexRef vertex = graph.addVertex(update_y, "update_y");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["x"], x.slice(block.begin(0), 4));
    graph.connect(vertex["y"], y.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i_size"], block.size(0));
    graph.setInitialValue(vertex["i_begin"], block.begin(0));
    graph.setPerfEstimate(vertex,
        dace_ipu::multiVertexCycles(dace_ipu::floor_div((31 - 3 * block.size(0)) * block.size(0) + 1,
        2) - 3 * block.begin(0) * block.size(0)));
  }
  sequence.add(Execute(update_y));
  streams.copyOut(sequence, "y", y);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_suffix_sum(suffix_sum_state_t *__state, float *x, float *y) {
  dace_ipu::run(__state->ipu_programs, "suffix_sum", {},
      {
       {"x", x, dace_ipu::HostType::Float32, {4}, {1}, 0},
       {"y", y, dace_ipu::HostType::Float32, {4}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_suffix_sum(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(suffix_sum_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("suffix_sum", suffix_sum_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(suffix_sum_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(suffix_sum_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(suffix_sum_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(suffix_sum_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
