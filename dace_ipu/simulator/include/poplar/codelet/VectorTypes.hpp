// VectorOf<T, N>: a vector of N lanes, the compiler's own where it has them.
#ifndef poplar_codelet_VectorTypes_hpp
#define poplar_codelet_VectorTypes_hpp

#ifdef __clang__
#include "NativeVectors.hpp"
#else
#include "Vectors.hpp"
#endif

#endif
