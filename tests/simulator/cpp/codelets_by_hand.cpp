// A codelet module written by hand against the ABI, so that libpoplar is tested without popc.
#include <poplar/abi/codelet_module.h>

#include <cstdint>

namespace {

float *floats(const DaceIpuSpan &s) { return static_cast<float *>(s.data); }

// out[i] = a * x[i] + y[i]; the workers share the elements.
struct Axpy {
  DaceIpuSpan x, y, out;
  float a;
};
bool runAxpy(void *p, unsigned worker) {
  auto &v = *static_cast<Axpy *>(p);
  for (std::size_t i = worker; i < v.out.size; i += 6)
    floats(v.out)[i] = v.a * floats(v.x)[i] + floats(v.y)[i];
  return true;
}

// sum = in[0] + in[1] + ...
struct Sum {
  DaceIpuSpan in, sum;
};
bool runSum(void *p, unsigned) {
  auto &v = *static_cast<Sum *>(p);
  float s = 0;
  for (std::size_t i = 0; i < v.in.size; ++i)
    s += floats(v.in)[i];
  *floats(v.sum) = s;
  return true;
}

template <bool Least> bool runExtremum(void *p, unsigned) {
  auto &v = *static_cast<Sum *>(p);
  float s = floats(v.in)[0];
  for (std::size_t i = 1; i < v.in.size; ++i)
    s = (floats(v.in)[i] < s) == Least ? floats(v.in)[i] : s;
  *floats(v.sum) = s;
  return true;
}

// data[i] += amount
struct AddTo {
  DaceIpuSpan data, amount;
};
bool runAddTo(void *p, unsigned) {
  auto &v = *static_cast<AddTo *>(p);
  for (std::size_t i = 0; i < v.data.size; ++i)
    floats(v.data)[i] += *floats(v.amount);
  return true;
}

// rows of different lengths, all multiplied by a constant table
struct ScaleRows {
  DaceIpuSpan rows, table;
};
bool runScaleRows(void *p, unsigned) {
  auto &v = *static_cast<ScaleRows *>(p);
  auto *rows = static_cast<DaceIpuSpan *>(v.rows.data);
  for (std::size_t r = 0; r < v.rows.size; ++r)
    for (std::size_t i = 0; i < rows[r].size; ++i)
      floats(rows[r])[i] *= floats(v.table)[r % v.table.size];
  return true;
}

// out = in shifted left by one, within the connected part
struct Shift {
  DaceIpuSpan in, out;
};
bool runShift(void *p, unsigned) {
  auto &v = *static_cast<Shift *>(p);
  for (std::size_t i = 0; i < v.out.size; ++i)
    floats(v.out)[i] = floats(v.in)[i];
  return true;
}

// counter = ++calls; returns counter < limit, and writes the same to more
struct Count {
  DaceIpuSpan counter, more;
  std::int32_t calls;
  std::int32_t limit;
};
bool runCount(void *p, unsigned) {
  auto &v = *static_cast<Count *>(p);
  *static_cast<std::int32_t *>(v.counter.data) = ++v.calls;
  const bool more = v.calls < v.limit;
  *static_cast<std::uint8_t *>(v.more.data) = more;
  return more;
}

// out = the sum of scalar edges
struct Gather {
  DaceIpuSpan in, out;
};
bool runGather(void *p, unsigned) {
  auto &v = *static_cast<Gather *>(p);
  auto *in = static_cast<DaceIpuSpan *>(v.in.data);
  float s = 0;
  for (std::size_t i = 0; i < v.in.size; ++i)
    s += *floats(in[i]);
  *floats(v.out) = s;
  return true;
}

// What no codelet may do. Ints; `what` says which mistake, `at` where.
struct Mistake {
  DaceIpuSpan in, out;
  std::int32_t what, at, state;
};
enum { doNothing, readIn, readOut, writeIn, writeOut, divide, wildAddress, readAsIndex, countCalls, skipOne };
bool runMistake(void *p, unsigned) {
  static int calls = 0;
  auto &v = *static_cast<Mistake *>(p);
  auto *in = static_cast<volatile std::int32_t *>(v.in.data);
  auto *out = static_cast<volatile std::int32_t *>(v.out.data);
  for (std::size_t i = 0; i < v.out.size; ++i)
    if (v.what != readOut && !(v.what == skipOne && i == static_cast<std::size_t>(v.at)))
      out[i] = 7;
  switch (v.what) {
  case readIn:
    v.state = in[v.at];
    return true;
  case readOut:
    return out[v.at] != 0;
  case writeIn:
    in[v.at] = 9;
    return true;
  case writeOut:
    out[v.at] = 9;
    return true;
  case divide:
    out[0] = 100 / in[v.at];
    return true;
  case wildAddress:
    *reinterpret_cast<volatile int *>(static_cast<std::uintptr_t>(v.at)) = 1;
    return true;
  case readAsIndex:
    out[0] = in[in[v.at]];
    return true;
  case countCalls:
    out[0] = ++calls;
    return true;
  default:
    return true;
  }
}

// out[i] = a[i] / b[i]
struct Divide {
  DaceIpuSpan a, b, out;
};
bool runDivide(void *p, unsigned) {
  auto &v = *static_cast<Divide *>(p);
  for (std::size_t i = 0; i < v.out.size; ++i)
    floats(v.out)[i] = floats(v.a)[i] / floats(v.b)[i];
  return true;
}

// What the workers of a MultiVertex must not do to each other; `what` says which.
struct Race {
  DaceIpuSpan out, bits;
  std::int32_t what, state;
};
enum { ownElements, ownWords, sameValue, otherValue, increment, readNeighbour, halvesOfWords, sharedState };
bool runRace(void *p, unsigned worker) {
  auto &v = *static_cast<Race *>(p);
  auto *out = static_cast<volatile std::int32_t *>(v.out.data);
  auto *bits = static_cast<volatile std::uint16_t *>(v.bits.data);
  const int number = static_cast<int>(worker);
  switch (v.what) {
  case ownElements:
    out[worker] = number + 1;
    return true;
  case ownWords:
    bits[2 * worker] = bits[2 * worker + 1] = static_cast<std::uint16_t>(worker + 1);
    return true;
  case sameValue:
    out[2] = 5;
    return true;
  case otherValue:
    out[2] = 5 + number;
    return true;
  case increment:
    out[3] = out[3] + 1;
    return true;
  case readNeighbour:
    out[worker] = number == 0 ? 1 : out[worker - 1] + 1;
    return true;
  case halvesOfWords:
    bits[worker] = static_cast<std::uint16_t>(worker + 1);
    return true;
  case sharedState:
    v.state += number;
    return true;
  default:
    return true;
  }
}

constexpr std::uint32_t spanBytes = sizeof(DaceIpuSpan);

#define FIELD(CLASS, NAME, TYPE, KIND, DIRECTION, OUTER, INNER, ALIGN)                                                 \
  {#NAME, TYPE, offsetof(CLASS, NAME), sizeof(CLASS::NAME), KIND, DIRECTION, OUTER, INNER, ALIGN, 0}
#define VECTOR(CLASS, NAME, TYPE, DIRECTION, ALIGN)                                                                    \
  FIELD(CLASS, NAME, TYPE, DACE_IPU_VECTOR_EDGE, DIRECTION, DACE_IPU_SPAN, 0, ALIGN)
#define SCALAR(CLASS, NAME, TYPE, DIRECTION) FIELD(CLASS, NAME, TYPE, DACE_IPU_SCALAR_EDGE, DIRECTION, 0, 0, 4)
#define STATE(CLASS, NAME, TYPE) FIELD(CLASS, NAME, TYPE, DACE_IPU_STATE, 0, 0, 0, 4)

const DaceIpuField axpyFields[] = {VECTOR(Axpy, x, "float", DACE_IPU_INPUT, 8),
                                   VECTOR(Axpy, y, "float", DACE_IPU_INPUT, 8),
                                   VECTOR(Axpy, out, "float", DACE_IPU_OUTPUT, 8), STATE(Axpy, a, "float")};
const DaceIpuField sumFields[] = {VECTOR(Sum, in, "float", DACE_IPU_INPUT, 4),
                                  SCALAR(Sum, sum, "float", DACE_IPU_OUTPUT)};
const DaceIpuField addToFields[] = {VECTOR(AddTo, data, "float", DACE_IPU_INOUT, 4),
                                    SCALAR(AddTo, amount, "float", DACE_IPU_INPUT)};
const DaceIpuField scaleRowsFields[] = {
    FIELD(ScaleRows, rows, "float", DACE_IPU_EDGE_LIST, DACE_IPU_INOUT, DACE_IPU_SPAN, DACE_IPU_ONE_PTR, 4),
    FIELD(ScaleRows, table, "float", DACE_IPU_STATE_VECTOR, 0, DACE_IPU_SPAN, 0, 4)};
const DaceIpuField shiftFields[] = {VECTOR(Shift, in, "float", DACE_IPU_INPUT, 4),
                                    VECTOR(Shift, out, "float", DACE_IPU_OUTPUT, 4)};
const DaceIpuField alignedFields[] = {VECTOR(Shift, in, "float", DACE_IPU_INPUT, 16),
                                      VECTOR(Shift, out, "float", DACE_IPU_OUTPUT, 16)};
const DaceIpuField fastFields[] = {
    {"in", "float", offsetof(Sum, in), sizeof(Sum::in), DACE_IPU_VECTOR_EDGE, DACE_IPU_INPUT, DACE_IPU_SPAN, 0, 8, 1},
    SCALAR(Sum, sum, "float", DACE_IPU_OUTPUT)};
const DaceIpuField countFields[] = {SCALAR(Count, counter, "int", DACE_IPU_OUTPUT),
                                    SCALAR(Count, more, "bool", DACE_IPU_OUTPUT), STATE(Count, calls, "int"),
                                    STATE(Count, limit, "int")};
const DaceIpuField gatherFields[] = {
    FIELD(Gather, in, "float", DACE_IPU_SCALAR_EDGE_LIST, DACE_IPU_INPUT, DACE_IPU_SPAN, 0, 4),
    SCALAR(Gather, out, "float", DACE_IPU_OUTPUT)};
const DaceIpuField mistakeFields[] = {VECTOR(Mistake, in, "int", DACE_IPU_INPUT, 4),
                                      VECTOR(Mistake, out, "int", DACE_IPU_OUTPUT, 4), STATE(Mistake, what, "int"),
                                      STATE(Mistake, at, "int"), STATE(Mistake, state, "int")};

const DaceIpuField divideFields[] = {VECTOR(Divide, a, "float", DACE_IPU_INPUT, 4),
                                     VECTOR(Divide, b, "float", DACE_IPU_INPUT, 4),
                                     VECTOR(Divide, out, "float", DACE_IPU_OUTPUT, 4)};

const DaceIpuField raceFields[] = {VECTOR(Race, out, "int", DACE_IPU_INOUT, 4),
                                   VECTOR(Race, bits, "unsigned short", DACE_IPU_INOUT, 4), STATE(Race, what, "int"),
                                   STATE(Race, state, "int")};

template <bool (*run)(void *, unsigned)> bool runBatch(DaceIpuBatch *batch) {
  bool all = true;
  for (std::size_t i = 0; i < batch->count; ++i) {
    batch->running = i;
    for (unsigned worker = batch->first_worker; worker < batch->end_worker; ++worker)
      all &= run(batch->states + batch->offsets[i], worker);
  }
  return all;
}

#define TYPE(NAME, CLASS, KIND, FIELDS, RUN, BATCH)                                                                  \
  {NAME, sizeof(CLASS), alignof(CLASS), KIND, sizeof(FIELDS) / sizeof(FIELDS[0]), FIELDS, RUN, __FILE__, __LINE__, \
   nullptr, 0, BATCH}
#define VERTEX(NAME, CLASS, KIND, FIELDS, RUN) TYPE(NAME, CLASS, KIND, FIELDS, RUN, runBatch<RUN>)
// libpoplar runs these one by one.
#define SINGLE(NAME, CLASS, KIND, FIELDS, RUN) TYPE(NAME, CLASS, KIND, FIELDS, RUN, nullptr)

const DaceIpuVertexType types[] = {
    VERTEX("Axpy<float>", Axpy, DACE_IPU_MULTI_VERTEX, axpyFields, runAxpy),
    SINGLE("Sum", Sum, DACE_IPU_VERTEX, sumFields, runSum),
    VERTEX("Minimum", Sum, DACE_IPU_VERTEX, sumFields, runExtremum<true>),
    VERTEX("Maximum", Sum, DACE_IPU_VERTEX, sumFields, runExtremum<false>),
    VERTEX("InterleavedSum", Sum, DACE_IPU_VERTEX, fastFields, runSum),
    VERTEX("AddTo", AddTo, DACE_IPU_VERTEX, addToFields, runAddTo),
    VERTEX("ScaleRows", ScaleRows, DACE_IPU_VERTEX, scaleRowsFields, runScaleRows),
    VERTEX("Shift", Shift, DACE_IPU_VERTEX, shiftFields, runShift),
    VERTEX("AlignedShift", Shift, DACE_IPU_VERTEX, alignedFields, runShift),
    SINGLE("Count", Count, DACE_IPU_VERTEX, countFields, runCount),
    VERTEX("Divide", Divide, DACE_IPU_VERTEX, divideFields, runDivide),
    VERTEX("Gather", Gather, DACE_IPU_VERTEX, gatherFields, runGather),
    VERTEX("Race", Race, DACE_IPU_MULTI_VERTEX, raceFields, runRace),
    VERTEX("Mistake", Mistake, DACE_IPU_VERTEX, mistakeFields, runMistake),
};

const DaceIpuCodeletModule module = {DACE_IPU_CODELET_ABI, sizeof(types) / sizeof(types[0]), types, nullptr};

static_assert(spanBytes == 16, "spans are two machine words");

} // namespace

extern "C" __attribute__((visibility("default"))) const DaceIpuCodeletModule *dace_ipu_codelet_module(void) {
  return &module;
}
