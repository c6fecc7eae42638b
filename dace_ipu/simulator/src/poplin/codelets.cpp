#include <poplin/codelets.hpp>

#include "costs.hpp"

namespace poplin {

void addCodelets(poplar::Graph &graph) {
  poputil::internal::addLibraryCodelets(graph, "poplin", internal::estimators());
}

} // namespace poplin
