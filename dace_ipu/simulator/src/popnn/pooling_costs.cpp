#include "costs.hpp"

#include <poplar/VertexIntrospector.hpp>

#include <cstdint>
#include <string>

namespace popnn::internal {

using namespace poplar;

namespace {

// Every place of the window is a row: 30 slots, and `perVector` for each 64 bits. Source: PopLibs, popnn/pooling/PoolPlan.cpp and
// popnnCycleEstimators.cpp.
VertexPerfEstimate estimateRows(const VertexIntrospector &vertex, const Target &target, std::uint64_t perVector) {
  const std::uint64_t workers = target.getNumWorkerContexts();
  const std::uint64_t width = vertex.vertexType().find("<float>") != std::string::npos ? 2 : 4;
  const std::uint64_t places = vertex.getFieldInfo("in").size(), n = vertex.getFieldInfo("out").size();
  const std::uint64_t vectors = (n + width - 1) / width;
  const std::uint64_t share = (vectors + workers - 1) / workers;
  return {11 + workers * (20 + 30 * ((places + workers - 1) / workers) + perVector * places * share), places * n};
}

VertexPerfEstimate estimateForward(const VertexIntrospector &vertex, const Target &target) {
  return estimateRows(vertex, target, 3);
}

VertexPerfEstimate estimateBackward(const VertexIntrospector &vertex, const Target &target) {
  return estimateRows(vertex, target, 5);
}

} // namespace

poputil::internal::Estimators poolingEstimators() {
  return {{"popnn::PoolReduce", estimateForward},
          {"popnn::PoolShareGradient", estimateBackward},
          {"popnn::PoolMaxGradient", estimateBackward}};
}

} // namespace popnn::internal
