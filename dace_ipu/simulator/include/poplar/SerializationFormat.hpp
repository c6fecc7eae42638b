#ifndef poplar_SerializationFormat_hpp
#define poplar_SerializationFormat_hpp

namespace poplar {

/// File formats of serialised graphs and debug information.
enum class SerializationFormat { CBOR, JSON, Binary };

} // namespace poplar

#endif
