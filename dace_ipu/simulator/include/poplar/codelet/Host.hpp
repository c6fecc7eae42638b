// The module's side of abi/codelet_host.h.
#ifndef poplar_codelet_Host_hpp
#define poplar_codelet_Host_hpp

#include "../abi/codelet_host.h"

namespace poplar {
namespace detail {

inline const DaceIpuCodeletHost *codeletHost = nullptr;

/// The tile of the vertex that this thread runs.
inline thread_local unsigned currentTile = 0;

#ifdef DACE_IPU_PRICING // the half of a module that counts: each is one instruction of the device
extern "C" uint64_t dace_ipu_cycle_counter(void);
extern "C" uint64_t dace_ipu_random_bits(void);
inline uint64_t cycleCounter() { return dace_ipu_cycle_counter(); }
inline uint64_t randomBits() { return dace_ipu_random_bits(); }
#else
inline uint64_t cycleCounter() {
  if (codeletHost && codeletHost->cycles)
    return codeletHost->cycles();
  static thread_local uint64_t calls = 0;
  return ++calls;
}

/// 64 random bits: the host's, or xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators").
inline uint64_t randomBits() {
  if (codeletHost && codeletHost->random)
    return codeletHost->random();
  static thread_local uint64_t state = 0x9e3779b97f4a7c15u;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1du;
}

extern "C" inline __attribute__((used)) uint64_t dace_ipu_cycle_counter(void) { return cycleCounter(); }
extern "C" inline __attribute__((used)) uint64_t dace_ipu_random_bits(void) { return randomBits(); }
#endif

/// Uniform in [0, 1), 24 bits.
inline float randomUnit() { return static_cast<float>(randomBits() >> 40) * 0x1p-24f; }

} // namespace detail
} // namespace poplar

#endif
