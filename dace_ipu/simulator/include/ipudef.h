/* The vector types of the device: float2, half4, int2, ... and what fits a machine register. */
#ifndef dace_ipu_ipudef_h
#define dace_ipu_ipudef_h

#include "poplar/HalfFloat.hpp"

#include "poplar/codelet/VectorTypes.hpp"

/* `int`, `long` and pointers have 32 bits on the device. */
#define POPLAR_VECTOR_TYPES(T, NAME)                                                                                   \
  typedef poplar::detail::VectorOf<T, 2> NAME##2;                                                                      \
  typedef poplar::detail::VectorOf<T, 4> NAME##4;
POPLAR_VECTOR_TYPES(float, float)
POPLAR_VECTOR_TYPES(half, half)
POPLAR_VECTOR_TYPES(signed char, char)
POPLAR_VECTOR_TYPES(unsigned char, uchar)
POPLAR_VECTOR_TYPES(short, short)
POPLAR_VECTOR_TYPES(unsigned short, ushort)
POPLAR_VECTOR_TYPES(int, int)
POPLAR_VECTOR_TYPES(unsigned, uint)
POPLAR_VECTOR_TYPES(int, long)
POPLAR_VECTOR_TYPES(unsigned, ulong)
POPLAR_VECTOR_TYPES(long long, longlong)
POPLAR_VECTOR_TYPES(unsigned long long, ulonglong)
#undef POPLAR_VECTOR_TYPES

typedef unsigned rptsize_t;

#endif
