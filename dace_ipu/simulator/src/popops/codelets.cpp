#include <popops/codelets.hpp>

#include "../poputil/library_codelets.hpp"
#include "estimators.hpp"
#include "indexing_estimators.hpp"

namespace popops {

void addCodelets(poplar::Graph &graph) {
  poputil::internal::Estimators all;
  for (const auto &estimators : {circBufEstimators(), elementWiseEstimators(), fillEstimators(), reduceEstimators(),
                                 sliceEstimators(), sortEstimators()})
    all.insert(all.end(), estimators.begin(), estimators.end());
  poputil::internal::addLibraryCodelets(graph, "popops", all);
}

} // namespace popops
