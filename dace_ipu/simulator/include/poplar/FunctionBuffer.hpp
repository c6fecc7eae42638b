// FunctionBuffer: a place outside the tiles for the code of a function.
#ifndef poplar_FunctionBuffer_hpp
#define poplar_FunctionBuffer_hpp

#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>

namespace poplar {

/// Names the place. program::Copy moves the code to the tiles or back, which takes time and changes no result.
class FunctionBuffer {
public:
  FunctionBuffer() = default;
  FunctionBuffer(Function function, FunctionBufferMappingType mapping) : function_(function), mapping_(mapping) {}
  Function function() const { return function_; }
  FunctionBufferMappingType mappingType() const { return mapping_; }

private:
  Function function_;
  FunctionBufferMappingType mapping_ = FunctionBufferMappingType::REMOTE;
};

} // namespace poplar

#endif
