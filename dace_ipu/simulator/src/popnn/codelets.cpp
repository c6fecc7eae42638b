#include <popnn/codelets.hpp>

#include "costs.hpp"

namespace popnn {

void addCodelets(poplar::Graph &graph) {
  poputil::internal::Estimators all;
  for (const auto &estimators :
       {internal::nonLinearityEstimators(), internal::rowEstimators(), internal::poolingEstimators()})
    all.insert(all.end(), estimators.begin(), estimators.end());
  poputil::internal::addLibraryCodelets(graph, "popnn", all);
}

} // namespace popnn
