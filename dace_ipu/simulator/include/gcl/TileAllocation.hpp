// Which tiles to keep for communication.
#ifndef gcl_TileAllocation_hpp
#define gcl_TileAllocation_hpp

#include <poplar/Graph.hpp>

#include <vector>

namespace gcl {

/// The least number of tiles on an IPU that collectives and host transfers can do with.
unsigned getMinIoTiles(const poplar::Graph &graph);

/// Tiles [offset, offset + count) of an IPU, for Graph::createVirtualGraph. GCL chooses tiles by their distance to the
/// host; here distances are not modelled. Throws poputil::poplibs_error if there are not so many.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count, bool sorted = true,
                                  bool tilePairs = true);

} // namespace gcl

#endif
