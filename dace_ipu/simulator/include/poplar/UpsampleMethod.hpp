#ifndef poplar_UpsampleMethod_hpp
#define poplar_UpsampleMethod_hpp

namespace poplar {

/// How Tensor::upsample fills the new elements.
enum class UpsampleMethod { REPEAT };

} // namespace poplar

#endif
