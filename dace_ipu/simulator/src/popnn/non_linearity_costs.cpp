#include "costs.hpp"

#include <popnn/NonLinearityDef.hpp>

#include <poplar/VertexIntrospector.hpp>

#include <cstdint>
#include <string>

namespace popnn::internal {

using namespace poplar;

namespace {

// Worker slots of one scalar and of one vector of 64 bits. Source: PopLibs, popnnCycleEstimators.cpp.
struct Slots {
  std::uint64_t scalar, vector;
};

Slots slotsOf(NonLinearityType type, bool isFloat) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return isFloat ? Slots{5, 10} : Slots{2, 4};
  case NonLinearityType::TANH:
    return isFloat ? Slots{5, 10} : Slots{1, 2};
  case NonLinearityType::GELU:
    return isFloat ? Slots{10, 10} : Slots{5, 5};
  case NonLinearityType::GELU_ERF:
    return isFloat ? Slots{30, 30} : Slots{15, 15};
  case NonLinearityType::SWISH:
    return isFloat ? Slots{6, 11} : Slots{3, 5};
  case NonLinearityType::HARD_SIGMOID: // multiply, add, clamp
    return {4, 4};
  default:
    return {1, 1};
  }
}

std::uint64_t remainderSlots(std::uint64_t rest, bool isFloat, std::uint64_t op) {
  if (rest == 0)
    return 0;
  return isFloat ? 3 + 2 + op : 4 + (rest > 1 ? 2 + op : 0) + (rest % 2 ? 3 + op : 0);
}

bool isFloat(const VertexIntrospector &vertex) { return vertex.vertexType().find("<float>") != std::string::npos; }

VertexPerfEstimate estimateRows(const VertexIntrospector &vertex, const Target &target, Slots slots) {
  const std::uint64_t workers = target.getNumWorkerContexts(), width = isFloat(vertex) ? 2 : 4;
  const FieldData data = vertex.getFieldInfo("data");
  std::uint64_t worker = 20, elements = 0;
  for (std::size_t row = 0; row < data.size(); ++row) {
    const std::uint64_t n = data.getSizeAtIndex(row), k = (n / width + workers - 1) / workers;
    worker += (k > 0 ? 2 + slots.scalar + (k - 1) * slots.vector + 1 + slots.scalar : 0) +
              remainderSlots(n % width, width == 2, slots.scalar);
    elements += n;
  }
  return {9 + workers * worker, elements};
}

VertexPerfEstimate estimateValue(const VertexIntrospector &vertex, const Target &target) {
  const auto kind = static_cast<NonLinearityType>(vertex.getFieldInfo("kind").getInitialValue<unsigned>(target));
  return estimateRows(vertex, target, slotsOf(kind, isFloat(vertex)));
}

// Three slots a vector for derivatives that are polynomials of the value; the others evaluate the function again.
VertexPerfEstimate estimateGradient(const VertexIntrospector &vertex, const Target &target) {
  const auto kind = static_cast<NonLinearityType>(vertex.getFieldInfo("kind").getInitialValue<unsigned>(target));
  const Slots again = slotsOf(kind, isFloat(vertex));
  const bool fromValue = kind <= NonLinearityType::TANH;
  return estimateRows(vertex, target, fromValue ? Slots{3, 3} : Slots{3 + again.scalar, 3 + again.vector});
}

} // namespace

poputil::internal::Estimators nonLinearityEstimators() {
  return {{"popnn::NonLinearity", estimateValue},
          {"popnn::NonLinearityInPlace", estimateValue},
          {"popnn::NonLinearityGrad", estimateGradient}};
}

} // namespace popnn::internal
