#include <popops/codelets.hpp>

#include "../poputil/library_codelets.hpp"
#include "estimators.hpp"
#include "indexing_estimators.hpp"

namespace popops {

void addCodelets(poplar::Graph &graph) {
  poputil::internal::Estimators all;
  for (const auto &estimators :
       {broadcastEstimators(), circBufEstimators(), elementWiseEstimators(), encodingEstimators(), fillEstimators(),
        loopEstimators(), rearrangeEstimators(), reduceEstimators(), rowEstimators(), scaledAddEstimators(),
        sliceEstimators(), sortEstimators()})
    all.insert(all.end(), estimators.begin(), estimators.end());
  poputil::internal::addLibraryCodelets(graph, "popops", all);
}

} // namespace popops
