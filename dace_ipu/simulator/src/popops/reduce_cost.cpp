// Cycles of the vertices of a reduction. Source of the formulas: PopLibs, popopsCycleEstimators.cpp and
// reductionsCycleEstimators.cpp.
#include "estimators.hpp"

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Elements that the accumulators take at once.
std::uint64_t widthOf(const VertexIntrospector &vertex) {
  const std::string &type = vertex.vertexType();
  return type.find("<half") != std::string::npos ? 8 : type.find("<float") != std::string::npos ? 4 : 1;
}

// Partials of an output that lie side by side are added by vectors, else vectors of outputs are.
VertexPerfEstimate estimateRegion(const VertexIntrospector &vertex, const Target &target) {
  const auto value = [&](const char *field) {
    return vertex.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
  };
  const std::uint64_t workers = 6, width = widthOf(vertex);
  const bool split = value("splitPartials");
  const std::uint64_t outputs = vertex.getFieldInfo("out").size() / (split ? workers : 1);
  const std::uint64_t partials = value("outerIn") * value("innerIn");
  const std::uint64_t mine = split ? outputs : ceilDiv(outputs, workers);
  const std::uint64_t each = split ? ceilDiv(partials, workers) : partials;
  const bool sideBySide = value("strideL") == 1 && value("innerIn") > 1;
  const std::uint64_t slots = sideBySide ? 17 + mine * (12 + 2 * ceilDiv(each, width))
                                         : 16 + ceilDiv(mine, std::min<std::uint64_t>(width, 2)) * (6 + each);
  return 11 + workers * slots;
}

VertexPerfEstimate estimatePieces(const VertexIntrospector &vertex, const Target &) {
  const std::uint64_t loops = ceilDiv(vertex.getFieldInfo("out").size(), widthOf(vertex));
  const std::uint64_t rows = vertex.getFieldInfo("in").size();
  return 7 + 26 + 28 + loops * (5 + 3) + rows * (10 + loops * 7);
}

VertexPerfEstimate estimateFinish(const VertexIntrospector &vertex, const Target &) {
  return 12 + 3 * ceilDiv(vertex.getFieldInfo("out").size(), 2);
}

} // namespace

poputil::internal::Estimators reduceEstimators() {
  return {{"popops::ReduceRegion", estimateRegion},
          {"popops::ReducePieces", estimatePieces},
          {"popops::ReduceFinish", estimateFinish}};
}

} // namespace popops
