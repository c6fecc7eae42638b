// The tiles of a virtual graph.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace poplar {

/// Tile i of the virtual graph is tile `toTop[i]` of the top-level graph.
struct Graph::VirtualTiles {
  std::vector<unsigned> toTop;
  Target target;
};

} // namespace poplar
