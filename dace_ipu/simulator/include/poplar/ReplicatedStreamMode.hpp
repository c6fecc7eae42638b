#ifndef poplar_ReplicatedStreamMode_hpp
#define poplar_ReplicatedStreamMode_hpp

namespace poplar {

/// How one host stream feeds several replicas.
enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar

#endif
