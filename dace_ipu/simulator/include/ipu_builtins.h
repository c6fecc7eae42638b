/* The compiler builtins of the device, as functions. What is missing here needs a part of the tile that is not modelled
   (the matrix unit, control registers, the exchange): calling it is a compile error that says so. */
#ifndef dace_ipu_ipu_builtins_h
#define dace_ipu_ipu_builtins_h

#include "ipudef.h"
#include "poplar/codelet/Host.hpp"
#include "poplar/codelet/VectorMath.hpp"

/* Where and when. */
inline unsigned __builtin_ipu_get_tile_id() { return poplar::detail::currentTile; }
inline unsigned __builtin_ipu_get_scount_l() { return static_cast<unsigned>(poplar::detail::cycleCounter()); }
inline unsigned __builtin_ipu_get_scount_u() { return static_cast<unsigned>(poplar::detail::cycleCounter() >> 32); }

/* Random numbers. */
inline unsigned __builtin_ipu_urand32() { return static_cast<unsigned>(poplar::detail::randomBits()); }
inline unsigned long long __builtin_ipu_urand64() { return poplar::detail::randomBits(); }
inline float __builtin_ipu_urand_f32() { return poplar::detail::randomUnit() - 0.5f; }
inline half __builtin_ipu_urand_f16() { return static_cast<half>(__builtin_ipu_urand_f32()); }

/* Gaussian by the central limit theorem: the sum of twelve uniform numbers has variance 1. The device's range is
   +-93/16. */
inline float2 __builtin_ipu_f32v2grand() {
  float2 result = {0.0f, 0.0f};
  for (int lane = 0; lane < 2; ++lane)
    for (int i = 0; i < 12; ++i)
      result[lane] = result[lane] + __builtin_ipu_urand_f32();
  return ipu::min(ipu::max(result, float2{-93.0f / 16, -93.0f / 16}), float2{93.0f / 16, 93.0f / 16});
}

/* Arithmetic of one or several lanes. */
template <typename V> inline V __builtin_ipu_max(V a, V b) { return ipu::fmax(a, b); }
template <typename V> inline V __builtin_ipu_min(V a, V b) { return ipu::fmin(a, b); }
template <typename V> inline V __builtin_ipu_exp(V x) { return ipu::exp(x); }
template <typename V> inline V __builtin_ipu_exp2(V x) { return ipu::exp2(x); }
template <typename V> inline V __builtin_ipu_ln(V x) { return ipu::log(x); }
template <typename V> inline V __builtin_ipu_log2(V x) { return ipu::log2(x); }
template <typename V> inline V __builtin_ipu_tanh(V x) { return ipu::tanh(x); }
template <typename V> inline V __builtin_ipu_sigmoid(V x) { return ipu::sigmoid(x); }
template <typename V> inline V __builtin_ipu_sqrt(V x) { return ipu::sqrt(x); }
template <typename V> inline V __builtin_ipu_rsqrt(V x) { return ipu::rsqrt(x); }

/* Bits. */
inline unsigned __builtin_ipu_popc(unsigned x) { return static_cast<unsigned>(__builtin_popcount(x)); }
inline unsigned __builtin_ipu_clz(unsigned x) { return x == 0 ? 32u : static_cast<unsigned>(__builtin_clz(x)); }
inline unsigned __builtin_ipu_bitrev8(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) // every byte by itself
    result |= ((x >> i) & 1u) << ((i & ~7) + 7 - (i & 7));
  return result;
}

/* Not modelled. */
#ifndef __clang__
#define POPLAR_NOT_MODELLED(NAME, WHAT)                                                                                \
  template <typename... Args>                                                                                          \
  __attribute__((error("the simulator does not model " WHAT ", which " #NAME " uses"))) int NAME(Args...);
POPLAR_NOT_MODELLED(__builtin_ipu_get, "control registers")
POPLAR_NOT_MODELLED(__builtin_ipu_put, "control registers")
POPLAR_NOT_MODELLED(__builtin_ipu_uget, "control registers")
POPLAR_NOT_MODELLED(__builtin_ipu_uput, "control registers")
POPLAR_NOT_MODELLED(__builtin_ipu_put_tas, "the register $TAS")
POPLAR_NOT_MODELLED(__builtin_ipu_f32v2axpy, "the register $TAS")
POPLAR_NOT_MODELLED(__builtin_ipu_gina, "the accumulators of the matrix unit")
POPLAR_NOT_MODELLED(__builtin_ipu_ld128putcs, "the weights of the matrix unit")
#undef POPLAR_NOT_MODELLED
#endif

#endif
