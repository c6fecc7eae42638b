// The codelets of popops.
#ifndef popops_codelets_hpp
#define popops_codelets_hpp

#include <poplar/Graph.hpp>

namespace popops {

/// Adds the codelets of popops to a graph: needed before any other function of the library. Adding them again does nothing.
void addCodelets(poplar::Graph &graph);

} // namespace popops

#endif
