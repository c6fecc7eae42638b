#ifndef poplar_SyncType_hpp
#define poplar_SyncType_hpp

namespace poplar {

/// Scope of a sync: the tiles of one IPU, tiles and host, or all IPUs.
enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar

#endif
