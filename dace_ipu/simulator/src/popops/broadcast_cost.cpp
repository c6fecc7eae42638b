// Cycles of operations with a repeated vector. Source: PopLibs, popopsCycleEstimators.cpp.
#include "estimators.hpp"

#include <poplar/Graph.hpp>
#include <popops/ExprOp.hpp>

namespace popops {

using namespace poplar;
using expr::BinaryOpType;

namespace {

constexpr std::uint64_t workers = 6;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

BinaryOpType operationOf(const VertexIntrospector &vertex, const Target &target) {
  return static_cast<BinaryOpType>(vertex.getFieldInfo("op").getInitialValue<unsigned>(target));
}

bool isHalf(const VertexIntrospector &vertex) { return vertex.vertexType().find("<half>") != std::string::npos; }

// Workers share the columns of every row if these are long, else the rows.
VertexPerfEstimate estimateRows(const VertexIntrospector &vertex, const Target &target) {
  const std::uint64_t rows = vertex.getFieldInfo("vector").size();
  const auto columns = vertex.getFieldInfo("columns").getInitialValue<unsigned>(target);
  const unsigned width = isHalf(vertex) ? 4 : 2;
  const bool byRow = columns < workers * width;
  const std::uint64_t perVector = 2, perRow = columns % width == 0 ? 7 : 25;
  const std::uint64_t elements = byRow ? columns : ceilDiv(columns, workers);
  const std::uint64_t loops = byRow ? ceilDiv(rows, workers) : rows;
  return 11 + workers * (15 + loops * (perRow + ceilDiv(elements, width) * perVector));
}

std::uint64_t divideFloats(std::uint64_t length, std::uint64_t blocks) {
  if (length % 2)
    return 1 + 5 + 2 + length * (3 + (blocks - 1) * 4 + 3 + 3) + 1;
  return 1 + 5 + 3 + length / 2 * (2 + 3 + (blocks - 1) * 6 + 3 + 3) + 1;
}

std::uint64_t divideHalves(std::uint64_t length, std::uint64_t blocks) {
  if (length % 2 == 0)
    return 1 + 8 + length / 2 * (3 + 6 + (blocks - 1) * 8 + 4) + 4 + 1;
  if (length == 1)
    return blocks == 1 ? 1 + 7 + 12 + 1 : 1 + 7 + 16 + (blocks / 2 - 1) * 8 + 3 + (blocks % 2 ? 8 : 0) + 1;
  const std::uint64_t pairs = length / 2 - 1;
  const std::uint64_t even = 3 + 6 + pairs * 9 + 3, odd = 5 + 6 + 1 + pairs * 10 + 3 + 6 + 3;
  return 1 + 8 + blocks / 2 * (even + odd) + (blocks % 2 ? even + 8 : 0) + 1;
}

// Sums: lengths are whole vectors of four.
std::uint64_t addHalves(std::uint64_t length, std::uint64_t blocks) {
  if (length <= 2048 && length % 8 == 0)
    return 7 + (blocks == 1 ? 3 + 7 * length / 8 + 1 : 4 + length / 8 * (8 + 2 * (blocks - 1) + 7) + 1);
  if (length <= 2048 && blocks >= 2)
    return 9 + 5 + length / 4 * (7 + 2 * (blocks / 2 - 1) + 1 + blocks % 2 + 5) + 1;
  return 7 + 5 + length * (2 + blocks * 9 + 3) + 1;
}

std::uint64_t multiplyHalves(std::uint64_t length, std::uint64_t blocks) {
  if (length > 2044 || blocks < 2)
    return 9 + 3 + length / 4 * (4 + 2 * blocks + 3) + 1;
  return 9 + 3 + length / 4 * (6 + blocks + 3) + 1;
}

VertexPerfEstimate estimateBlocks(const VertexIntrospector &vertex, const Target &target) {
  const std::uint64_t length = vertex.getFieldInfo("vector").size();
  const std::uint64_t blocks = ceilDiv(vertex.getFieldInfo("out").size() / length, workers);
  switch (operationOf(vertex, target)) {
  case BinaryOpType::DIVIDE:
    return isHalf(vertex) ? 13 + workers * (24 + divideHalves(length, blocks)) + 5
                          : 13 + workers * (19 + divideFloats(length, blocks)) + 5;
  case BinaryOpType::MULTIPLY:
    return 13 + workers * (19 + 2 + multiplyHalves(length, blocks));
  default:
    return 13 + 6 + workers * (19 + 3 + addHalves(length, blocks));
  }
}

} // namespace

poputil::internal::Estimators broadcastEstimators() {
  return {{"popops::BroadcastRows", estimateRows}, {"popops::BroadcastBlocks", estimateBlocks}};
}

} // namespace popops
