// The device programs of axpy: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct axpy_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

extern const char *const axpy_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of axpy and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_axpy(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_y_blocks({96}, graph.getTarget().getNumTiles());

  Tensor a = graph.addVariable(FLOAT, {1}, "a");
  graph.setTileMapping(a, 0);
  Tensor x = graph.addVariable(FLOAT, {96}, "x");
  dace_ipu::mapToBlocks(graph, x, update_y_blocks, {{0, 0, 1}});
  Tensor y = graph.addVariable(FLOAT, {96}, "y");
  dace_ipu::mapToBlocks(graph, y, update_y_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "a", a);
  streams.copyIn(sequence, "x", x);
  streams.copyIn(sequence, "y", y);

  // test_golden.py:3   y[:] = a * x + y
  ComputeSet update_y = graph.addComputeSet("update_y");
  for (const auto &block : update_y_blocks) {
    VertexRef vertex = graph.addVertex(update_y, "update_y");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["y"], y.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["a"], a[0]);
    graph.connect(vertex["x"], x.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(7 * block.size(0)));
  }
  sequence.add(Execute(update_y));
  streams.copyOut(sequence, "y", y);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_axpy(axpy_state_t *__state, float a, float *x, float *y) {
  dace_ipu::run(__state->ipu_programs, "axpy", {},
      {
       {"a", &a, dace_ipu::HostType::Float32, {1}, {1}, 0},
       {"x", x, dace_ipu::HostType::Float32, {96}, {1}, 0},
       {"y", y, dace_ipu::HostType::Float32, {96}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_axpy(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(axpy_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("axpy", axpy_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(axpy_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(axpy_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(axpy_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(axpy_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
