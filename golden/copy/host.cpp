// The device programs of copy: how their graphs are built, and what DaCe's code calls to run them.
#include "dace/dace.h"
#include "dace_ipu/forward.hpp"

struct copy_state_t {
    dace_ipu::Programs *ipu_programs;
};

#include <dace_ipu/programs.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>

extern const char *const copy_codelets;

namespace {

using namespace poplar;
using namespace poplar::program;

// Builds the graph of copy and returns the program that runs on the device.
DACE_IPU_GRAPH_CODE Sequence build_copy(Graph &graph, dace_ipu::Streams &streams) {
  Sequence sequence;

  Tensor a = graph.addVariable(FLOAT, {20}, "a");
  poputil::mapTensorLinearly(graph, a);
  Tensor b = graph.addVariable(FLOAT, {20}, "b");
  poputil::mapTensorLinearly(graph, b);

  streams.copyIn(sequence, "a", a);
  // test_golden.py:3   b[:] = a
  sequence.add(Copy(a, b));
  streams.copyOut(sequence, "b", b);
  return sequence;
}

} // namespace

extern "C" void __dace_ipu_run_copy(copy_state_t *__state, float *a, float *b) {
  dace_ipu::run(__state->ipu_programs, "copy", {},
      {
       {"a", a, dace_ipu::HostType::Float32, {20}, {1}, 0},
       {"b", b, dace_ipu::HostType::Float32, {20}, {1}, 0},
      },
      [&](Graph &graph, dace_ipu::Streams &streams) { return build_copy(graph, streams); });
}

// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later.
extern "C" int __dace_init_ipu(copy_state_t *__state) {
  __state->ipu_programs = dace_ipu::create("copy", copy_codelets, {"ipu2", 1, 8, 4});
  return 0;
}

extern "C" int __dace_exit_ipu(copy_state_t *__state) {
  dace_ipu::destroy(__state->ipu_programs);
  __state->ipu_programs = nullptr;
  return 0;
}

extern "C" DACE_EXPORTED const char *__dace_ipu_last_error(copy_state_t *__state) {
  return dace_ipu::takeError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED void __dace_ipu_clear_error(copy_state_t *__state) {
  dace_ipu::clearError(__state->ipu_programs);
}

extern "C" DACE_EXPORTED const char *__dace_ipu_report(copy_state_t *__state) {
  return dace_ipu::report(__state->ipu_programs);
}
