// Here for programs that include it by this name.
#ifndef poplar_IeeeHalf_hpp
#define poplar_IeeeHalf_hpp

#include <poplar/Type.hpp>

#endif
