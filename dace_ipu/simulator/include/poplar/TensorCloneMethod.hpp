#ifndef poplar_TensorCloneMethod_hpp
#define poplar_TensorCloneMethod_hpp

#include <ostream>
#include <string>

namespace poplar {

/// What Graph::clone keeps of the order and the aliases of the original.
enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES,
  CREATE_NEW_ORDER,
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

/// Where Graph::cloneN puts the copies.
enum class TensorCloneDuplicationMethod { DUPLICATE_BY_OUTER_DIMENSION, DUPLICATE_BY_TILE_CONTIGUOUS_REGION };

std::string toString(const TensorCloneMethod &method);
std::ostream &operator<<(std::ostream &os, const TensorCloneMethod &method);

} // namespace poplar

#endif
