// The codelets of poplin.
#ifndef poplin_codelets_hpp
#define poplin_codelets_hpp

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds the codelets of poplin to a graph: needed before any other function of the library. Adding them again does nothing.
void addCodelets(poplar::Graph &graph);

} // namespace poplin

#endif
