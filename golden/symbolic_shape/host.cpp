// The device programs of symbolic_shape: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct symbolic_shape_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/integers.hpp>
#include <dace_ipu/mapping.hpp>
#include <dace_ipu/perf.hpp>
#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>

extern const char *const symbolic_shape_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::shape;

// Builds the graph of symbolic_shape and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_symbolic_shape(Graph &graph, dace_ipu::Streams &streams, std::int64_t N) {
  Sequence sequence;

  const dace_ipu::Blocks update_y_blocks({N}, graph.getTarget().getNumTiles());

  Tensor x = graph.addVariable(FLOAT, shape(N), "x");
  dace_ipu::mapToBlocks(graph, x, update_y_blocks, {{0, 0, 1}});
  Tensor y = graph.addVariable(FLOAT, shape(N), "y");
  dace_ipu::mapToBlocks(graph, y, update_y_blocks, {{0, 0, 1}});

  streams.copyIn(sequence, "x", x);

  // test_golden.py:3   y[:] = x * x
  ComputeSet update_y = graph.addComputeSet("update_y");
  for (const auto &block : update_y_blocks) {
    VertexRef vertex = graph.addVertex(update_y, "update_y");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["x"], x.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["y"], y.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(4 * block.size(0)));
  }
  sequence.add(Execute(update_y));
  streams.copyOut(sequence, "y", y);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_symbolic_shape(symbolic_shape_state_t *__state, float *x, float *y, int N) {
  dace_ipu::run(__state->ipu_programs, "symbolic_shape", {{"N", N}},
      {
       {"x", x, dace_ipu::HostType::Float32, {N}, {1}, 0},
       {"y", y, dace_ipu::HostType::Float32, {N}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_symbolic_shape(graph, streams, N); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(symbolic_shape_state_t *__state, int N) {
  __state->ipu_programs = dace_ipu::create("symbolic_shape", symbolic_shape_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(symbolic_shape_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(symbolic_shape_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(symbolic_shape_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(symbolic_shape_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
