// The edges of a vertex, under the name that the SDK's headers give them.
#ifndef poplar_InOutTypes_hpp
#define poplar_InOutTypes_hpp

#include "Vertex.hpp"

#endif
