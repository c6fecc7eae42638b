// The device programs of convergence: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct convergence_state_t {
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

#include <cstdint>

extern const char *const convergence_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::shape;

// Builds the graph of convergence and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_convergence(Graph &graph, dace_ipu::Streams &streams, std::int64_t N) {
  Sequence sequence;

  const dace_ipu::Blocks reduce_values_blocks({N}, graph.getTarget().getNumTiles());

  Tensor A = graph.addVariable(FLOAT, shape(N), "A");
  dace_ipu::mapToBlocks(graph, A, reduce_values_blocks, {{0, 0, 1}});
  Tensor limit = graph.addVariable(FLOAT, {1}, "limit");
  graph.setTileMapping(limit, 0);
  Tensor turns = graph.addVariable(INT, {1}, "turns");
  graph.setTileMapping(turns, 0);
  Tensor max_A = graph.addVariable(FLOAT, {1}, "max_A");
  graph.setTileMapping(max_A, 0);
  Tensor tmp0 = graph.addVariable(BOOL, {1}, "tmp0");
  graph.setTileMapping(tmp0, 0);
  Tensor turns_index = graph.addVariable(INT, {1}, "turns_index");
  graph.setTileMapping(turns_index, 0);
  Tensor max_A_partial = graph.addVariable(FLOAT, shape(reduce_values_blocks.size() * 6, 1), "max_A_partial");
  dace_ipu::mapLanes(graph, max_A_partial, reduce_values_blocks, 6);
  Tensor max_A_partial_2 = graph.addVariable(FLOAT, shape(reduce_values_blocks.size() * 6, 1), "max_A_partial_2");
  dace_ipu::mapLanes(graph, max_A_partial_2, reduce_values_blocks, 6);

  streams.copyIn(sequence, "A", A);
  streams.copyIn(sequence, "limit", limit);

  // test_golden.py:3   turns[0] = 0
  ComputeSet update_turns = graph.addComputeSet("update_turns");
  VertexRef update_turns_vertex = graph.addVertex(update_turns, "update_turns");
  graph.setTileMapping(update_turns_vertex, 0);
  graph.connect(update_turns_vertex["turns"], turns[0]);
  graph.setPerfEstimate(update_turns_vertex, dace_ipu::vertexCycles(1));
  sequence.add(Execute(update_turns));

  // test_golden.py:4   while np.max(A) > limit:
  ComputeSet reduce_values = graph.addComputeSet("reduce_values");
  for (const auto &block : reduce_values_blocks) {
    VertexRef vertex = graph.addVertex(reduce_values, "reduce_values");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["max_A"], max_A_partial.slice(6 * block.number(), 6 * block.number() + 6).flatten());
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(3 * block.size(0) + 2));
  }
  sequence.add(Execute(reduce_values));
  dace_ipu::combine(graph, sequence, max_A_partial, max_A, {"fold_max_float32"});

  ComputeSet set_tmp0 = graph.addComputeSet("set_tmp0");
  VertexRef set_tmp0_vertex = graph.addVertex(set_tmp0, "set_tmp0");
  graph.setTileMapping(set_tmp0_vertex, 0);
  graph.connect(set_tmp0_vertex["max_A"], max_A[0]);
  graph.connect(set_tmp0_vertex["limit"], limit[0]);
  graph.connect(set_tmp0_vertex["tmp0"], tmp0[0]);
  graph.setPerfEstimate(set_tmp0_vertex, dace_ipu::vertexCycles(15));
  sequence.add(Execute(set_tmp0));

  // test_golden.py:5   A[:] = A * 0.5
  Sequence body;

  ComputeSet update_A = graph.addComputeSet("update_A");
  for (const auto &block : reduce_values_blocks) {
    VertexRef vertex = graph.addVertex(update_A, "update_A");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)));
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(4 * block.size(0)));
  }
  body.add(Execute(update_A));

  ComputeSet set_turns_index = graph.addComputeSet("set_turns_index");
  VertexRef set_turns_index_vertex = graph.addVertex(set_turns_index, "set_turns_index");
  graph.setTileMapping(set_turns_index_vertex, 0);
  graph.connect(set_turns_index_vertex["turns"], turns[0]);
  graph.connect(set_turns_index_vertex["turns_index"], turns_index[0]);
  graph.setPerfEstimate(set_turns_index_vertex, dace_ipu::vertexCycles(2));
  body.add(Execute(set_turns_index));

  // test_golden.py:4   while np.max(A) > limit:
  ComputeSet reduce_values_2 = graph.addComputeSet("reduce_values_2");
  for (const auto &block : reduce_values_blocks) {
    VertexRef vertex = graph.addVertex(reduce_values_2, "reduce_values_2");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["max_A"], max_A_partial_2.slice(6 * block.number(), 6 * block.number() + 6).flatten());
    graph.setInitialValue(vertex["i0_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(3 * block.size(0) + 2));
  }
  body.add(Execute(reduce_values_2));
  dace_ipu::combine(graph, body, max_A_partial_2, max_A, {"fold_max_float32"});

  // test_golden.py:6   turns[0] = turns[0] + 1
  ComputeSet update_turns_2 = graph.addComputeSet("update_turns_2");
  VertexRef update_turns_2_vertex = graph.addVertex(update_turns_2, "update_turns_2");
  graph.setTileMapping(update_turns_2_vertex, 0);
  graph.connect(update_turns_2_vertex["max_A"], max_A[0]);
  graph.connect(update_turns_2_vertex["limit"], limit[0]);
  graph.connect(update_turns_2_vertex["tmp0"], tmp0[0]);
  graph.connect(update_turns_2_vertex["turns_index"], turns_index[0]);
  graph.connect(update_turns_2_vertex["turns"], turns[0]);
  graph.setPerfEstimate(update_turns_2_vertex, dace_ipu::vertexCycles(18));
  body.add(Execute(update_turns_2));
  sequence.add(RepeatWhileTrue(Sequence(), tmp0[0], body));

  streams.copyOut(sequence, "A", A);
  streams.copyOut(sequence, "turns", turns);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_convergence(convergence_state_t *__state, float *A, float limit, int *turns, int N) {
  dace_ipu::run(__state->ipu_programs, "convergence", {{"N", N}},
      {
       {"A", A, dace_ipu::HostType::Float32, {N}, {1}, 0},
       {"limit", &limit, dace_ipu::HostType::Float32, {1}, {1}, 0},
       {"turns", turns, dace_ipu::HostType::Int32, {1}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_convergence(graph, streams, N); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(convergence_state_t *__state, int N) {
  __state->ipu_programs = dace_ipu::create("convergence", convergence_codelets, {"ipu2", 1, 8, 4}, {
      {"convergence", "update_turns (test_golden.py:3) runs on one tile: it is a single computation"},
      {"convergence", "the reduction into max_A (test_golden.py:4) leaves partial results on all tiles, which a tree combines"},
      {"convergence", "set___tmp0 (test_golden.py:4) runs on one tile: it is a single computation"},
      {"convergence", "set_turns_index (test_golden.py:5) runs on one tile: it is a single computation"},
      {"convergence", "update_turns_2 (test_golden.py:6) runs on one tile: it is a single computation"},
  });
  return 0;
}

extern "C" int __dace_exit_ipu(convergence_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(convergence_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(convergence_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(convergence_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
