// The device programs of matmul: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct matmul_state_t {
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
#include <poputil/TileMapping.hpp>

extern const char *const matmul_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::at;

// Builds the graph of matmul and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_matmul(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_C_blocks({8, 10}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, {8, 6}, "A");
  poputil::mapTensorLinearly(graph, A);
  Tensor B = graph.addVariable(FLOAT, {6, 10}, "B");
  poputil::mapTensorLinearly(graph, B);
  Tensor C = graph.addVariable(FLOAT, {8, 10}, "C");
  dace_ipu::mapToBlocks(graph, C, update_C_blocks, {{0, 0, 1}, {1, 0, 1}});

  streams.copyIn(sequence, "A", A);
  streams.copyIn(sequence, "B", B);

  // test_golden.py:3   for i, j in dace.map[0:8, 0:10]:
  ComputeSet update_C = graph.addComputeSet("update_C");
  for (const auto &block : update_C_blocks) {
    VertexRef vertex = graph.addVertex(update_C, "update_C");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["C"],
        dace_ipu::rows(C.slice(at(block.begin(0), block.begin(1)), at(block.end(0), block.end(1)))));
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)).flatten());
    graph.connect(vertex["B"], dace_ipu::rows(B.slice(block.begin(1), block.end(1), 1)));
    graph.setInitialValue(vertex["i_size"], block.size(0));
    graph.setInitialValue(vertex["j_size"], block.size(1));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(44 * block.size(0) * block.size(1) + block.size(0)));
  }
  sequence.add(Execute(update_C));
  streams.copyOut(sequence, "C", C);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_matmul(matmul_state_t *__state, float *A, float *B, float *C) {
  dace_ipu::run(__state->ipu_programs, "matmul", {},
      {
       {"A", A, dace_ipu::HostType::Float32, {8, 6}, {6, 1}, 0},
       {"B", B, dace_ipu::HostType::Float32, {6, 10}, {10, 1}, 0},
       {"C", C, dace_ipu::HostType::Float32, {8, 10}, {10, 1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_matmul(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(matmul_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("matmul", matmul_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(matmul_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(matmul_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(matmul_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(matmul_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
