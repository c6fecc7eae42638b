// The device programs of triangular: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct triangular_state_t {
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

#include <cstdint>

extern const char *const triangular_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::at;
using dace_ipu::shape;

// Builds the graph of triangular and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_triangular(Graph &graph, dace_ipu::Streams &streams, std::int64_t N) {
  Sequence sequence;

  const dace_ipu::Blocks update_A_blocks({N - 1, N - 1}, graph.getTarget().getNumTiles());
  const dace_ipu::Blocks fetch_A_2_singles({N}, graph.getTarget().getNumTiles(), 1);

  Tensor A = graph.addVariable(FLOAT, shape(N, N), "A");
  dace_ipu::mapToBlocks(graph, A, update_A_blocks, {{0, 1, 1}, {1, 1, 1}});
  Tensor k = graph.addVariable(INT, {1}, "k");
  graph.setTileMapping(k, 0);
  Tensor A_slice = graph.addVariable(FLOAT, shape(N), "A_slice");
  dace_ipu::mapToBlocks(graph, A_slice, fetch_A_2_singles, {{0, 0, 1}});
  Tensor A_slice_2 = graph.addVariable(FLOAT, shape(N), "A_slice_2");
  dace_ipu::mapToBlocks(graph, A_slice_2, fetch_A_2_singles, {{0, 0, 1}});

  streams.copyIn(sequence, "A", A);

  // test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
  ComputeSet first_k = graph.addComputeSet("first_k");
  VertexRef first_k_vertex = graph.addVertex(first_k, "first_k");
  graph.setTileMapping(first_k_vertex, 0);
  graph.connect(first_k_vertex["k"], k[0]);
  graph.setPerfEstimate(first_k_vertex, dace_ipu::vertexCycles(1));
  sequence.add(Execute(first_k));

  Sequence body;

  ComputeSet fetch_A_2 = graph.addComputeSet("fetch_A_2");
  for (const auto &block : fetch_A_2_singles) {
    VertexRef vertex = graph.addVertex(fetch_A_2, "fetch_A_2");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["k"], k[0]);
    graph.connect(vertex["A"], dace_ipu::rows(A.slice(at(block.begin(0), 0), at(block.end(0), N - 1))));
    graph.connect(vertex["A_2"], dace_ipu::rows(A.slice(at(0, block.begin(0)), at(N - 1, block.end(0)))));
    graph.connect(vertex["A_slice"], A_slice.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["A_slice_2"], A_slice_2.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["at_0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(5 * block.size(0) + 1));
  }
  body.add(Execute(fetch_A_2));

  ComputeSet update_A = graph.addComputeSet("update_A");
  for (const auto &block : update_A_blocks) {
    VertexRef vertex = graph.addVertex(update_A, "update_A");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["k"], k[0]);
    graph.connect(vertex["A"],
        dace_ipu::rows(A.slice(at(block.begin(0) + 1, block.begin(1) + 1), at(block.end(0) + 1, block.end(1) + 1))));
    graph.connect(vertex["A_slice"], A_slice.slice(block.begin(0) + 1, block.end(0) + 1));
    graph.connect(vertex["A_slice_2"], A_slice_2.slice(block.begin(1) + 1, block.end(1) + 1));
    graph.setInitialValue(vertex["i_size"], block.size(0));
    graph.setInitialValue(vertex["j_size"], block.size(1));
    graph.setInitialValue(vertex["i_begin"], block.begin(0));
    graph.setInitialValue(vertex["j_begin"], block.begin(1));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(34 * block.size(0) + 1));
  }
  body.add(Execute(update_A));

  ComputeSet next_k = graph.addComputeSet("next_k");
  VertexRef next_k_vertex = graph.addVertex(next_k, "next_k");
  graph.setTileMapping(next_k_vertex, 0);
  graph.connect(next_k_vertex["k"], k[0]);
  graph.setPerfEstimate(next_k_vertex, dace_ipu::vertexCycles(3));
  body.add(Execute(next_k));
  sequence.add(Repeat(dace_ipu::count(N - 1), body));

  streams.copyOut(sequence, "A", A);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_triangular(triangular_state_t *__state, float *A, int N) {
  dace_ipu::run(__state->ipu_programs, "triangular", {{"N", N}},
      {
       {"A", A, dace_ipu::HostType::Float32, {N, N}, {N, 1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_triangular(graph, streams, N); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(triangular_state_t *__state, int N) {
  __state->ipu_programs = dace_ipu::create("triangular", triangular_codelets, {"ipu2", 1, 8, 4}, {
      {"triangular", "first_k (test_golden.py:4) runs on one tile: it is a single computation"},
      {"triangular", "next_k (test_golden.py:4) runs on one tile: it is a single computation"},
  });
  return 0;
}

extern "C" int __dace_exit_ipu(triangular_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(triangular_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(triangular_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(triangular_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
