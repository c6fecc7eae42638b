// Vertex and its relatives: the base classes of codelets.
#ifndef poplar_Vertex_hpp
#define poplar_Vertex_hpp

#include "FieldTypes.hpp"
#include "VectorListTypes.hpp"
#include "VectorTypes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __POPC__
#include "HalfFloat.hpp"
#ifndef DACE_IPU_NO_DEVICE_TYPES // popc defines it for sources that have types of these names
#include <ipu_builtins.h>
#include <ipudef.h>
#endif
#ifndef __clang__
#define __builtin_assume(CONDITION) ((CONDITION) ? static_cast<void>(0) : __builtin_unreachable())
#endif
#endif

namespace poplar {

/// `bool compute()` runs in one worker.
class Vertex {};

/// `bool compute(unsigned worker)` runs once for every worker, in any order, on the same fields.
class MultiVertex {
public:
  static constexpr unsigned numWorkers() { return 6; }
};

/// `bool compute()` runs in the supervisor.
class SupervisorVertex {};

/// A vertex whose exchange is written by hand; it cannot run here, but its declaration compiles.
class ExternalExchangeVertex {};

namespace detail {

template <bool IsSupervisor> struct SupervisorVertexIf { using Type = SupervisorVertex; };
template <> struct SupervisorVertexIf<false> { using Type = Vertex; };

template <bool IsMulti> struct MultiVertexIf { using Type = MultiVertex; };
template <> struct MultiVertexIf<false> { using Type = Vertex; };

} // namespace detail

template <bool IsSupervisor> using SupervisorVertexIf = typename detail::SupervisorVertexIf<IsSupervisor>::Type;
template <bool IsMulti> using MultiVertexIf = typename detail::MultiVertexIf<IsMulti>::Type;

} // namespace poplar

// The instruction alignment of worker code, which has no meaning here.
#ifndef WORKER_ALIGN
#define WORKER_ALIGN
#endif

#endif
