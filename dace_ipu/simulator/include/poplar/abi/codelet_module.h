// The contract between popc, which makes codelet modules, and libpoplar, which loads and runs them.
//
// A codelet module (a `.gp` file) is a shared library that exports one C function,
// `dace_ipu_codelet_module`. It describes every vertex class of the source: the layout of its
// state as the host compiler laid it out, and a function that runs it. libpoplar never constructs a
// vertex: it allocates `size` zeroed bytes aligned to `align`, fills the fields by offset and calls `run`.
#ifndef DACE_IPU_CODELET_MODULE_H
#define DACE_IPU_CODELET_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define DACE_IPU_CODELET_ABI 3u

extern "C" {

// What every edge looks like inside the state of a vertex, whatever its Poplar layout is.
// Scalar edge (Input<float>): data points at one element, size is 1.
// Vector edge (Input<Vector<float, ...>>) and Vector<float> state: data points at `size` elements.
// List of edges (Vector<Input<Vector<float>>>, Vector<Input<float>>): data points at `size` DaceIpuSpans.
// VectorList edges look like a list of edges.
struct DaceIpuSpan {
  void *data;
  size_t size;
};

enum DaceIpuFieldKind {
  DACE_IPU_STATE = 0,       // plain field: T x;
  DACE_IPU_STATE_VECTOR,    // Vector<T> x; (data stored with the vertex)
  DACE_IPU_SCALAR_EDGE,     // Input<T> x;
  DACE_IPU_VECTOR_EDGE,     // Input<Vector<T>> x;
  DACE_IPU_EDGE_LIST,       // Vector<Input<Vector<T>>> x; or Input<VectorList<T>> x;
  DACE_IPU_SCALAR_EDGE_LIST // Vector<Input<T>> x;
};

enum DaceIpuFieldDirection { DACE_IPU_NO_EDGE = 0, DACE_IPU_INPUT, DACE_IPU_OUTPUT, DACE_IPU_INOUT };

// The device-side layouts, for the accounting of memory: the host always uses DaceIpuSpan.
enum DaceIpuVectorLayout {
  DACE_IPU_NOT_A_VECTOR = 0,
  DACE_IPU_SPAN,
  DACE_IPU_SHORT_SPAN,
  DACE_IPU_ONE_PTR,
  DACE_IPU_SCALED_PTR32,
  DACE_IPU_SCALED_PTR64,
  DACE_IPU_SCALED_PTR128,
  DACE_IPU_COMPACT_PTR
};

enum DaceIpuVertexKind { DACE_IPU_VERTEX = 0, DACE_IPU_MULTI_VERTEX, DACE_IPU_SUPERVISOR_VERTEX };

struct DaceIpuField {
  const char *name;
  const char *type;     // element type as poplar::Type::toString spells it: "float", "half", "unsigned int", ...
  uint32_t offset;      // bytes from the start of the state
  uint32_t size;        // bytes of the field in the state
  uint8_t kind;         // DaceIpuFieldKind
  uint8_t direction;    // DaceIpuFieldDirection
  uint8_t outer_layout; // DaceIpuVectorLayout of the list level, or of the only vector level
  uint8_t inner_layout; // DaceIpuVectorLayout of the rows of an edge list
  uint32_t min_align;   // bytes
  uint8_t interleaved;  // 0 or 1
};

// Vertices of one type, to run one after another: for each, compute() of the workers from the first one on. Their states
// lie `offsets` bytes from `states`. Before each call of compute() `*random` becomes `seed`, then `seed` grows by `step`.
struct DaceIpuBatch {
  char *states;
  const size_t *offsets;
  size_t count;
  unsigned first_worker;
  unsigned end_worker;
  uint64_t *random;
  uint64_t seed;
  uint64_t step;
  volatile size_t running; // the number of the vertex that runs, to name it if it does not come back
};

struct DaceIpuVertexType {
  const char *name; // as graph.addVertex spells it: "Ns::Name<float,true>"
  uint32_t size;    // sizeof the class
  uint32_t align;   // alignof the class
  uint8_t kind;     // DaceIpuVertexKind
  uint32_t num_fields;
  const DaceIpuField *fields;
  bool (*run)(void *state, unsigned worker); // compute(); an exception must not leave it
  const char *source_file;
  uint32_t source_line;
  // compute() that also adds up its cost, or null: worker slots, for a SupervisorVertex tile cycles. What it cost in all
  // calls of this thread since then is `take_cost` of the module.
  bool (*run_counted)(void *state, unsigned worker);
  uint32_t cost_flags; // DaceIpuCostFlags
  // Runs vertices as `run` would one by one, and returns whether all compute() returned true. Null: nobody but `run` can.
  bool (*run_batch)(DaceIpuBatch *batch);
};

enum DaceIpuCostFlags {
  DACE_IPU_COST_DEPENDS_ON_DATA = 1, // on the contents of edges, not only on fields, sizes and worker
  // Stands for code of the machine that stores whole words only, whatever its own C++ does: two workers may write parts
  // of one word.
  DACE_IPU_STORES_WHOLE_WORDS = 2
};

struct DaceIpuCodeletModule {
  uint32_t abi;          // DACE_IPU_CODELET_ABI
  uint32_t num_vertex_types;
  const DaceIpuVertexType *vertex_types;
  uint64_t (*take_cost)(void); // null if no vertex type counts
};

const DaceIpuCodeletModule *dace_ipu_codelet_module(void);

} // extern "C"

#endif
