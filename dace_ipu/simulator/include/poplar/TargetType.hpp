#ifndef poplar_TargetType_hpp
#define poplar_TargetType_hpp

#include <string>

namespace poplar {

/// What a device is: hardware, a model of it, or the host.
enum class TargetType { IPU, IPU_MODEL, CPU };

std::string toString(TargetType type);

} // namespace poplar

#endif
