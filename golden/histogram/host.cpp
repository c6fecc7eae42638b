// The device programs of histogram: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct histogram_state_t {
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
#include <poputil/TileMapping.hpp>

extern const char *const histogram_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;
using dace_ipu::shape;

// Builds the graph of histogram and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_histogram(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  const dace_ipu::Blocks update_bins_blocks({100}, graph.getTarget().getNumTiles());

  Tensor bins = graph.addVariable(INT, {5}, "bins");
  poputil::mapTensorLinearly(graph, bins);
  Tensor data = graph.addVariable(UNSIGNED_CHAR, {100}, "data");
  dace_ipu::mapToBlocks(graph, data, update_bins_blocks, {{0, 0, 1}});
  Tensor bins_partial = graph.addVariable(INT, shape(update_bins_blocks.size() * 6, 5), "bins_partial");
  dace_ipu::mapLanes(graph, bins_partial, update_bins_blocks, 6);

  streams.copyIn(sequence, "bins", bins);
  streams.copyIn(sequence, "data", data);

  // test_golden.py:3   for i in dace.map[0:100]:
  ComputeSet update_bins = graph.addComputeSet("update_bins");
  for (const auto &block : update_bins_blocks) {
    VertexRef vertex = graph.addVertex(update_bins, "update_bins");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["data"], data.slice(block.begin(0), block.end(0)));
    graph.connect(vertex["bins"], bins_partial.slice(6 * block.number(), 6 * block.number() + 6).flatten());
    graph.setInitialValue(vertex["i_size"], block.size(0));
    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(5 * block.size(0) + 10));
  }
  sequence.add(Execute(update_bins));
  dace_ipu::combine(graph, sequence, bins_partial, bins, {"fold_sum_int32", "update_sum_int32"});
  streams.copyOut(sequence, "bins", bins);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_histogram(histogram_state_t *__state, int *bins, uint8_t *data) {
  dace_ipu::run(__state->ipu_programs, "histogram", {},
      {
       {"bins", bins, dace_ipu::HostType::Int32, {5}, {1}, 0},
       {"data", data, dace_ipu::HostType::UInt8, {100}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_histogram(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(histogram_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("histogram", histogram_codelets, {"ipu2", 1, 8, 4}, {
      {"histogram", "the reduction into bins (test_golden.py:3) leaves partial results on all tiles, which a tree combines"},
  });
  return 0;
}

extern "C" int __dace_exit_ipu(histogram_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(histogram_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(histogram_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(histogram_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
