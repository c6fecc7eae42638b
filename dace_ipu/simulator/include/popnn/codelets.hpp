// The codelets of popnn.
#ifndef popnn_codelets_hpp
#define popnn_codelets_hpp

#include <poplar/Graph.hpp>

namespace popnn {

/// Adds the codelets of popnn to a graph: needed before any other function of the library. Adding them again does nothing.
void addCodelets(poplar::Graph &graph);

} // namespace popnn

#endif
