// Here for programs that include it by this name.
#ifndef poplar_PerfEstimateFunc_hpp
#define poplar_PerfEstimateFunc_hpp

#include <poplar/VertexIntrospector.hpp>

#endif
