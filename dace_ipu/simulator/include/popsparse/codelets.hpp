// The codelets of popsparse.
#ifndef popsparse_codelets_hpp
#define popsparse_codelets_hpp

#include <poplar/Graph.hpp>

namespace popsparse {

/// Adds the codelets of popsparse to a graph: needed before any other function of the library. Adding them again does
/// nothing.
void addCodelets(poplar::Graph &graph);

} // namespace popsparse

#endif
