#include <poplar/Vertex.hpp>
