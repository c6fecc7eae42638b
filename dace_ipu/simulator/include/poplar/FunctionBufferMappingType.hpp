#ifndef poplar_FunctionBufferMappingType_hpp
#define poplar_FunctionBufferMappingType_hpp

namespace poplar {

/// Where the code of a function buffer lives.
enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar

#endif
