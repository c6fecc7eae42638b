// The type of a trip count that fits the device's zero-overhead loop instruction.
#ifndef poplar_Loops_hpp
#define poplar_Loops_hpp

#if defined(__POPC__) && !defined(DACE_IPU_NO_DEVICE_TYPES)
#include <ipudef.h>
#else
typedef unsigned rptsize_t;
#endif

namespace poplar {

using ::rptsize_t;

/// Calls `body(i)` for i = 0 ... count - 1.
template <typename Body> inline void loopInstruction(unsigned count, const Body &body) {
  for (unsigned i = 0; i < count; ++i)
    body(i);
}

} // namespace poplar

#endif
