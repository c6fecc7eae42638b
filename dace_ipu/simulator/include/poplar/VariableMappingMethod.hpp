#ifndef poplar_VariableMappingMethod_hpp
#define poplar_VariableMappingMethod_hpp

#include <ostream>
#include <string>

namespace poplar {

/// How addVariable maps a new variable: not at all, or spread over all tiles in order.
enum class VariableMappingMethod { NONE, LINEAR };

std::string toString(const VariableMappingMethod &method);
std::ostream &operator<<(std::ostream &os, const VariableMappingMethod &method);

} // namespace poplar

#endif
