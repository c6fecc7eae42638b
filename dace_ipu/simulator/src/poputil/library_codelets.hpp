// The codelets of the libraries on top of Poplar.
#pragma once

#include <poplar/Graph.hpp>

#include <utility>
#include <vector>

namespace poputil::internal {

/// The cost of a vertex class, or of all instances of a template if the name has no template arguments. A Vertex is
/// estimated in worker slots, a MultiVertex or SupervisorVertex in tile cycles (see poplar/VertexIntrospector.hpp).
using Estimators = std::vector<std::pair<const char *, poplar::PerfEstimateFunc>>;

/// Adds the codelets of a library ("popops", ...) and their costs to a graph. Adding them again does nothing.
///
/// The modules were compiled with the simulator: one for every source in src/<library>/codelets. Throws
/// poplar::graph_object_load_error if they are not there.
void addLibraryCodelets(poplar::Graph &graph, const char *library, const Estimators &estimators);

} // namespace poputil::internal
