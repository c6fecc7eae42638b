#include "costs.hpp"

#include <poplar/VertexIntrospector.hpp>

#include <cstdint>

namespace popnn::internal {

using namespace poplar;

namespace {

std::uint64_t valueOf(const VertexIntrospector &vertex, const Target &target, const char *field) {
  return vertex.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
}

bool isHalf(const VertexIntrospector &vertex) { return vertex.vertexType().find("<half>") != std::string::npos; }

struct Work {
  std::uint64_t rows, columns;
  bool half;
  std::uint64_t vectors() const { return rows * ((columns + (half ? 3 : 1)) / (half ? 4 : 2)); }
};

Work workOf(const VertexIntrospector &vertex, const Target &target) {
  return {valueOf(vertex, target, "rows"), valueOf(vertex, target, "columns"), isHalf(vertex)};
}

// Slots of a vector of 64 bits for an exponential. Source: PopLibs, popopsCycleEstimators.cpp.
std::uint64_t expSlots(const Work &work) { return work.half ? 4 : 6; }

// A pass for the largest element, 1 slot a vector, and one that loads, subtracts, takes the exponential and adds.
VertexPerfEstimate estimateSums(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + 20 * work.rows + work.vectors() * (1 + 3 + expSlots(work) + 1), work.rows * work.columns * 3};
}

// Load, subtract, exponential, multiply and store; and for every segment of a row an exponential and a few more.
VertexPerfEstimate estimateSoftmax(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  const std::uint64_t segments = valueOf(vertex, target, "segments");
  return {20 + work.rows * (30 + 8 * segments) + work.vectors() * (3 + expSlots(work) + 2),
          work.rows * work.columns * 3};
}

VertexPerfEstimate estimateGradSums(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + 15 * work.rows + 2 * work.vectors(), 2 * work.rows * work.columns};
}

VertexPerfEstimate estimateGrad(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + work.rows * (15 + valueOf(vertex, target, "segments")) + 4 * work.vectors(),
          2 * work.rows * work.columns};
}

// 3 slots an element. Source: PopLibs, popnnCycleEstimators.cpp, ReduceMaxClass.
VertexPerfEstimate estimateArgExtreme(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return 20 + work.rows * (10 + 3 * work.columns);
}

// 3 slots an element, and for those that are inserted (k * (1 + ln(n / k)) of n in random order) half the list of k.
VertexPerfEstimate estimateTopK(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  const std::uint64_t k = valueOf(vertex, target, "k");
  std::uint64_t insertions = k;
  for (std::uint64_t n = 2 * k; k > 0 && n <= work.columns; n *= 2)
    insertions += (7 * k + 9) / 10; // ln 2 for every doubling
  return 20 + work.rows * (10 + 3 * work.columns + insertions * (4 + 2 * k));
}

// Source: PopLibs, popnnCycleEstimators.cpp: 4 slots an element for sums of squares, 9 for cross entropy, half of it for half.
VertexPerfEstimate estimateLoss(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  const std::uint64_t perElement = valueOf(vertex, target, "crossEntropy") ? 9 : 4;
  return {5 + 6 + 5 + 2 + 1 + work.rows * (6 + perElement * work.columns / (work.half ? 2 : 1)),
          2 * work.rows * work.columns};
}

VertexPerfEstimate estimateLossOfSegments(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return 10 + work.rows * (6 + 2 * work.columns);
}

// Source: PopLibs, popnnCycleEstimators.cpp, CalcAccuracy.
VertexPerfEstimate estimateCountEqual(const VertexIntrospector &vertex, const Target &) {
  return 4 + 12 + 6 * vertex.getFieldInfo("a").size();
}

// Load and add; load, subtract and multiply-add; load, subtract, multiply and store.
VertexPerfEstimate estimateNormSums(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + 10 * work.rows + work.vectors(), work.rows * work.columns};
}

VertexPerfEstimate estimateNormSquares(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + work.rows * (15 + valueOf(vertex, target, "segments")) + 2 * work.vectors(),
          3 * work.rows * work.columns};
}

// With a division, a square root and a reciprocal a row.
VertexPerfEstimate estimateNormMoments(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return 20 + work.rows * (25 + 2 * work.columns);
}

VertexPerfEstimate estimateNormWhiten(const VertexIntrospector &vertex, const Target &target) {
  const Work work = workOf(vertex, target);
  return {20 + 10 * work.rows + 3 * work.vectors(), 2 * work.rows * work.columns};
}

} // namespace

poputil::internal::Estimators rowEstimators() {
  return {{"popnn::SoftmaxSums", estimateSums},
          {"popnn::Softmax", estimateSoftmax},
          {"popnn::SoftmaxGradSums", estimateGradSums},
          {"popnn::SoftmaxGrad", estimateGrad},
          {"popnn::ArgExtreme", estimateArgExtreme},
          {"popnn::ArgExtremeOfSegments", estimateArgExtreme},
          {"popnn::RowTopK", estimateTopK},
          {"popnn::LossRows", estimateLoss},
          {"popnn::LossOfSegments", estimateLossOfSegments},
          {"popnn::CountEqual", estimateCountEqual},
          {"popnn::NormSums", estimateNormSums},
          {"popnn::NormSquares", estimateNormSquares},
          {"popnn::NormMoments", estimateNormMoments},
          {"popnn::NormWhiten", estimateNormWhiten}};
}

} // namespace popnn::internal
