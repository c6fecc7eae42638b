// How popc describes the vertex classes of a source: the tables of codelet_module.h, computed by templates from the
// classes themselves. popc includes this file before the source and appends, for every field name it found, a class
// like `name_in` below, and for every vertex class a call of `addVertex`. No vertex is ever constructed.
//
//   struct name_in {
//     static constexpr const char *text = "in";
//     template <typename V> static auto type(int) -> Found<decltype(V::in)>;
//     template <typename V> static Absent type(...);
//     template <typename V> static auto member(int) -> Found<decltype(&V::in)>;
//     template <typename V> static Absent member(...);
//     template <typename V> static constexpr unsigned offset() { return __builtin_offsetof(V, in); }
//   };
#ifndef DACE_IPU_CODELET_REGISTRATION_HPP
#define DACE_IPU_CODELET_REGISTRATION_HPP

#include "../Quarter.hpp"
#include "../Vertex.hpp"
#include "../codelet/FieldTraits.hpp"
#include "../codelet/Host.hpp"
#include "../codelet/Print.hpp"
#include "../codelet/VectorTypes.hpp"
#include "../codelet/VertexName.hpp"
#include "codelet_module.h"

extern "C" void dace_ipu_supervisor(void);

namespace dace_ipu_popc {

struct Absent {};
template <typename T> struct Found { using Type = T; };

// ---- which fields a class has

template <typename V, typename Name> using TypeOf = decltype(Name::template type<V>(0));
template <typename V, typename Name> using MemberOf = decltype(Name::template member<V>(0));

// A static member has an address of another kind; a reference has none at all, and is a field of an unsupported type.
template <typename Type, typename Member> struct IsField : std::false_type {};
template <typename Type, typename Member>
struct IsField<Found<Type>, Found<Member>> : std::is_member_object_pointer<Member> {};
template <typename Type> struct IsField<Found<Type &>, Absent> : std::true_type {};

template <typename V, typename Name> constexpr bool hasField = IsField<TypeOf<V, Name>, MemberOf<V, Name>>::value;

template <typename V, typename Name> constexpr bool isSupported() {
  if constexpr (hasField<V, Name>)
    return shapeOf<typename TypeOf<V, Name>::Type>().type != nullptr;
  else
    return true;
}

// ---- what kind of vertex a class is, and how it runs

template <typename V, typename Base> constexpr bool derivesFrom = std::is_base_of_v<Base, V>;
template <typename V> constexpr bool isMulti = derivesFrom<V, poplar::MultiVertex>;
template <typename V> constexpr bool isSupervisor = derivesFrom<V, poplar::SupervisorVertex>;
template <typename V> constexpr bool isVertex = derivesFrom<V, poplar::Vertex> || isMulti<V> || isSupervisor<V>;

template <typename V> auto computeOf(int) -> Found<decltype(std::declval<V &>().compute())>;
template <typename V> Absent computeOf(...);
template <typename V> auto multiComputeOf(int) -> Found<decltype(std::declval<V &>().compute(0u))>;
template <typename V> Absent multiComputeOf(...);

template <typename V> constexpr bool hasCompute() {
  if constexpr (isMulti<V>)
    return !std::is_same_v<decltype(multiComputeOf<V>(0)), Absent>;
  else
    return !std::is_same_v<decltype(computeOf<V>(0)), Absent>;
}

/// Whether the class says that its compute() is written in assembly.
template <typename V> constexpr auto externalOf(int) -> decltype(static_cast<bool>(V::isExternalCodelet)) {
  return V::isExternalCodelet;
}
template <typename V> constexpr bool externalOf(...) { return false; }
template <typename V> constexpr bool isExternal = externalOf<V>(0);

template <typename V> inline bool compute(V &vertex, unsigned worker) {
  const auto call = [&]() -> decltype(auto) {
    if constexpr (isMulti<V>)
      return vertex.compute(worker);
    else
      return vertex.compute();
  };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return true;
  } else {
    return static_cast<bool>(call());
  }
}

/// A store to a char may change anything, the vertex's own pointers included, and keeps loops from being vectorised.
/// Such vertices work on a copy of their state, whose address nobody knows once compute() is inlined.
template <typename V> inline bool runOnCopy(void *state, unsigned worker) noexcept {
  alignas(V) unsigned char copy[sizeof(V)];
  __builtin_memcpy(copy, state, sizeof(V));
  const bool result = compute(*reinterpret_cast<V *>(copy), worker);
  __builtin_memcpy(state, copy, sizeof(V));
  return result;
}

template <typename V> inline bool runInPlace(void *state, unsigned worker) noexcept {
  return compute(*static_cast<V *>(state), worker);
}

/// The one place that compute() is compiled into: a vertex may have so little to do that a call takes as long.
template <typename V, bool onCopy> __attribute__((noinline)) bool runBatch(DaceIpuBatch *batch) noexcept {
  // In variables, which no store of a codelet can change.
  char *const states = batch->states;
  const size_t *const offsets = batch->offsets, count = batch->count;
  const unsigned first = batch->first_worker, end = batch->end_worker;
  uint64_t *const random = batch->random, step = batch->step;
  uint64_t seed = batch->seed;
  bool all = true;
  for (size_t i = 0; i < count; ++i) {
    batch->running = i;
    for (unsigned worker = first; worker < end; ++worker, seed += step) {
      *random = seed;
      if constexpr (onCopy)
        all &= runOnCopy<V>(states + offsets[i], worker);
      else
        all &= runInPlace<V>(states + offsets[i], worker);
    }
  }
  return all;
}

template <typename V, bool onCopy> bool runOne(void *state, unsigned worker) noexcept {
  const size_t offset = 0;
  uint64_t random; // libpoplar has set its own
  DaceIpuBatch batch = {static_cast<char *>(state), &offset, 1, worker, worker + 1, &random, 0, 0, 0};
  return runBatch<V, onCopy>(&batch);
}

/// The entry that counts its cost; popc compiles it apart, and recognises the call that marks the supervisor's code.
template <typename V> inline bool runCounted(void *state, unsigned worker) {
  if constexpr (isVertex<V> && hasCompute<V>()) {
    if constexpr (isSupervisor<V>)
      dace_ipu_supervisor();
    return compute(*static_cast<V *>(state), worker);
  }
  return false;
}

// ---- the tables

template <typename V, typename Name> constexpr bool writesBytes() {
  if constexpr (hasField<V, Name>) {
    constexpr FieldShape shape = shapeOf<typename TypeOf<V, Name>::Type>();
    return shape.element_size == 1 && (shape.direction == DACE_IPU_OUTPUT || shape.direction == DACE_IPU_INOUT);
  }
  return false;
}

template <typename V, typename Name> void addField(DaceIpuField *fields, unsigned &count) {
  if constexpr (hasField<V, Name> && isSupported<V, Name>()) {
    using Type = typename TypeOf<V, Name>::Type;
    constexpr FieldShape shape = shapeOf<Type>();
    fields[count++] = {Name::text,      shape.type,         Name::template offset<V>(), sizeof(Type),    shape.kind,
                       shape.direction, shape.outer_layout, shape.inner_layout,         shape.min_align, shape.interleaved};
  }
}

template <typename V, typename... Names> void addFields(DaceIpuVertexType &type) {
  static DaceIpuField fields[sizeof...(Names) + 1];
  unsigned count = 0;
  (addField<V, Names>(fields, count), ...);
  type.num_fields = count;
  type.fields = fields;
}

/// Appends the description of V. It is known by the name that the compiler gives the type, and by the one `written` in
/// the source, which may be an alias or leave a namespace out.
template <typename V, typename... Names>
void addVertex(DaceIpuVertexType *types, unsigned &count, const char *written, const char *file, unsigned line,
               bool (*runCounted)(void *, unsigned), const unsigned *costFlags) {
  if constexpr (isVertex<V> && hasCompute<V>()) {
    DaceIpuVertexType type = {};
    type.name = vertexName<V>();
    type.size = sizeof(V);
    type.align = alignof(V);
    type.kind = isMulti<V> ? DACE_IPU_MULTI_VERTEX : isSupervisor<V> ? DACE_IPU_SUPERVISOR_VERTEX : DACE_IPU_VERTEX;
    constexpr bool onCopy = (writesBytes<V, Names>() || ... || false);
    type.run = runOne<V, onCopy>;
    type.run_batch = runBatch<V, onCopy>;
    type.source_file = file;
    type.source_line = line;
    type.run_counted = runCounted;
    type.cost_flags = costFlags ? *costFlags : 0;
#ifdef DACE_IPU_LIBRARY_CODELETS // the stand-ins of PopLibs' codelets
    type.cost_flags |= DACE_IPU_STORES_WHOLE_WORDS;
#endif
    addFields<V, Names...>(type);
    types[count++] = type;
    if (__builtin_strcmp(type.name, written) == 0)
      return;
    type.name = written;
    types[count++] = type;
  }
}

// popc's own text is appended after preprocessing and sees no macros.
constexpr uint32_t abi = DACE_IPU_CODELET_ABI;

} // namespace dace_ipu_popc

extern "C" __attribute__((visibility("default"), used)) inline void
dace_ipu_codelet_set_host(const DaceIpuCodeletHost *host) {
  poplar::detail::codeletHost = host;
}

#endif
