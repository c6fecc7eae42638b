// half: IEEE binary16 with arithmetic that rounds every operation.
#ifndef poplar_HalfFloat_hpp
#define poplar_HalfFloat_hpp

// Both compilers know _Float16 in C++ on x86-64 (with SSE2); elsewhere g++ has it from version 13 on.
#if !defined(POPLAR_SOFT_HALF) && defined(__FLT16_MAX__) &&                                                            \
    (defined(__clang__) || (defined(__x86_64__) && __GNUC__ >= 12) || __GNUC__ >= 13)
__extension__ typedef _Float16 half;
#else
#include "codelet/SoftHalf.hpp"
typedef poplar::detail::SoftHalf half;
#endif

#include "codelet/HalfMath.hpp"

namespace poplar {
using ::half;
} // namespace poplar

inline half operator""_h(long double value) { return static_cast<half>(static_cast<float>(value)); }
inline half operator""_h(unsigned long long value) { return static_cast<half>(static_cast<float>(value)); }

#endif
