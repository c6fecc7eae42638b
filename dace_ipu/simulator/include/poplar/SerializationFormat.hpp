#ifndef poplar_SerializationFormat_hpp
#define poplar_SerializationFormat_hpp

namespace poplar {

/// File formats of serialised graphs and tensors.
enum class SerializationFormat { CBOR, JSON, Binary };

/// File formats of debug information.
enum class DebugSerializationFormat { JSON, CBOR };

} // namespace poplar

#endif
