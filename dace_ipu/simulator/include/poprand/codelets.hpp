// The codelets of poprand.
#ifndef poprand_codelets_hpp
#define poprand_codelets_hpp

#include <poplar/Graph.hpp>

namespace poprand {

/// Adds the codelets of poprand to a graph: needed before any other function of the library. Adding them again does nothing.
void addCodelets(poplar::Graph &graph);

} // namespace poprand

#endif
