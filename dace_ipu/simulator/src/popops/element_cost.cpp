// Cycles of the element-wise vertices. Source of all figures: PopLibs, popopsCycleEstimators.cpp (tables of operations:
// cycles for a number of elements, and what a vertex costs besides).
#include "estimators.hpp"

#include <poplar/Graph.hpp>
#include <popops/ExprOp.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using expr::BinaryOpType;
using expr::UnaryOpType;

namespace {

constexpr std::uint64_t workers = 6;
constexpr std::uint64_t supervisor = 11;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// `cycles` for `elements` elements.
struct Rate {
  unsigned cycles;
  unsigned elements;
  std::uint64_t of(std::uint64_t n) const { return ceilDiv(n, elements) * cycles; }
};

struct Kind {
  bool isFloat, isHalf, isReal, isBool, isLong;
  unsigned vector; // elements in 64 bits
};

Kind kindOfType(const std::string &type) {
  const bool isFloat = type == "float", isHalf = type == "half", isLong = type.find("long long") != std::string::npos;
  const bool isShort = type.find("short") != std::string::npos;
  const bool isByte = type == "bool" || type.find("char") != std::string::npos;
  return {isFloat, isHalf, isFloat || isHalf, type == "bool", isLong,
          isLong ? 1u : isByte ? 8u : isHalf || isShort ? 4u : 2u};
}

Kind kindOf(const std::string &vertexType) {
  const std::size_t open = vertexType.find('<');
  return kindOfType(vertexType.substr(open + 1, vertexType.find_first_of(",>", open) - open - 1));
}

Rate unaryRate(UnaryOpType op, const Kind &k, bool inPlace) {
  const unsigned overhead = 4, v = k.vector;
  const bool f = k.isFloat;
  switch (op) {
  case UnaryOpType::ABSOLUTE:
    return k.isReal ? Rate{1 + overhead, v} : Rate{2 + overhead, 1};
  case UnaryOpType::EXPONENT:
  case UnaryOpType::EXPONENT2:
    return f ? Rate{6, 2} : Rate{4, 4};
  case UnaryOpType::EXPONENT_MINUS_ONE:
    return {(f ? 4u : 5u) + overhead, v};
  case UnaryOpType::LOGARITHM:
    return f ? Rate{inPlace ? 14u : 12u, 2} : Rate{inPlace ? 6u : 4u, 4};
  case UnaryOpType::LOGARITHM_ONE_PLUS:
    return {18 + overhead, v};
  case UnaryOpType::TANH:
    return f ? Rate{inPlace ? 10u : 12u, 2} : Rate{inPlace ? 2u : 4u, 4};
  case UnaryOpType::SIGMOID:
    return f ? Rate{inPlace ? 10u : 12u, 2} : Rate{inPlace ? 4u : 6u, 4};
  case UnaryOpType::SQRT:
    return f ? Rate{10, 2} : k.isHalf ? Rate{23, 4} : Rate{110 + overhead, 1};
  case UnaryOpType::RSQRT:
    return f ? Rate{8, 2} : Rate{19, 4};
  case UnaryOpType::INVERSE:
    return f ? Rate{6, 2} : Rate{15, 4};
  case UnaryOpType::NEGATE:
    return k.isReal ? Rate{inPlace ? 3u : 2u, v} : Rate{2 + overhead, 1};
  case UnaryOpType::SQUARE:
    return k.isReal ? Rate{2, v} : Rate{2 + overhead, 1};
  case UnaryOpType::RELU:
    return {inPlace ? 2u : 3u, v};
  case UnaryOpType::FLOOR:
  case UnaryOpType::CEIL:
  case UnaryOpType::ROUND:
  case UnaryOpType::NEARBY_INT:
    return {2 + overhead, v};
  case UnaryOpType::TRUNC:
    return f ? Rate{3, 2} : Rate{11, 4};
  case UnaryOpType::SIGNUM:
    return {5 + overhead, v};
  case UnaryOpType::CBRT:
    return {(f ? 27u : 17u) + overhead, v};
  case UnaryOpType::ERF:
    return {f ? 41u : 13u, 1};
  case UnaryOpType::GELU_ERF:
    return {f ? 22u : 16u, 1};
  case UnaryOpType::SIN:
  case UnaryOpType::COS:
    return f ? Rate{2300 + overhead, 1} : Rate{25, 1};
  case UnaryOpType::TAN:
    return {f ? 5100u : 5700u, 1};
  case UnaryOpType::ASIN:
    return {102 + overhead, 1};
  case UnaryOpType::IS_NAN:
    return {3 + overhead, v};
  case UnaryOpType::IS_INF:
    return {(f ? 3u : 5u) + overhead, v};
  case UnaryOpType::IS_FINITE:
    return {5 + overhead, v};
  case UnaryOpType::LOGICAL_NOT:
    return {17 + overhead, 1};
  default: // bitwise not, popcount, leading zeros
    return {1 + overhead, op == UnaryOpType::BITWISE_NOT ? v : 1};
  }
}

bool isComparison(BinaryOpType op) {
  return op == BinaryOpType::EQUAL || op == BinaryOpType::NOT_EQUAL || op == BinaryOpType::LESS_THAN ||
         op == BinaryOpType::LESS_THAN_EQUAL || op == BinaryOpType::GREATER_THAN ||
         op == BinaryOpType::GREATER_THAN_EQUAL;
}

Rate comparisonRate(BinaryOpType op, const Kind &k, bool scalar) {
  const bool isUnequal = op == BinaryOpType::NOT_EQUAL;
  if (k.isFloat)
    return {scalar ? 12u : isUnequal ? 20u : 14u, 4};
  if (k.isHalf)
    return {scalar ? 8u : isUnequal ? 11u : 9u, 4};
  const bool orEqual = op == BinaryOpType::LESS_THAN_EQUAL || op == BinaryOpType::GREATER_THAN_EQUAL;
  return scalar ? Rate{orEqual ? 20u : 16u, 4} : Rate{orEqual ? 26u : 22u, 4};
}

Rate integerRate(BinaryOpType op, const Kind &k, bool scalar) {
  switch (op) {
  case BinaryOpType::DIVIDE:
    return {k.isLong ? 130u : 277u, 1};
  case BinaryOpType::REMAINDER:
    return {292, 1};
  case BinaryOpType::POWER:
    return {32 + 5, 1};
  case BinaryOpType::MULTIPLY:
    return {k.isLong ? 30u : scalar ? 6u : 7u, 1};
  default:
    return {k.isLong ? 11u : scalar ? 6u : 7u, k.isBool ? 4u : 1u};
  }
}

Rate binaryRate(BinaryOpType op, const Kind &k, bool scalar, bool inPlace) {
  const bool f = k.isFloat;
  if (isComparison(op))
    return comparisonRate(op, k, scalar);
  if (!k.isReal)
    return k.isBool ? Rate{5, 4} : integerRate(op, k, scalar);
  switch (op) {
  case BinaryOpType::ADD:
  case BinaryOpType::SUBTRACT:
  case BinaryOpType::MULTIPLY:
    return {1u + (scalar ? 1u : 2u), k.vector};
  case BinaryOpType::DIVIDE:
    return scalar ? Rate{f ? 6u : 8u, 2} : f ? Rate{10, 2} : Rate{21, 4};
  case BinaryOpType::MAXIMUM:
  case BinaryOpType::MINIMUM:
    return scalar ? Rate{3, k.vector} : f ? Rate{inPlace ? 4u : 3u, 2} : Rate{4, 4};
  case BinaryOpType::POWER:
    return {f ? 312u : 325u, 1};
  case BinaryOpType::REMAINDER:
    return scalar ? (f ? Rate{93, 2} : Rate{225, 4}) : f ? Rate{133, 2} : Rate{300, 4};
  case BinaryOpType::ATAN2:
    return f ? Rate{272, 2} : Rate{578, 4};
  default: // variance to inverse standard deviation, and back
    return f ? Rate{12, 2} : Rate{24, 4};
  }
}

// A vertex of one region shares it out to the workers after `perWorker` cycles; a vertex of several gives every worker
// its rows, each after `perRow` cycles.
std::uint64_t tileCycles(const VertexIntrospector &vertex, const Rate &rate, unsigned perWorker, unsigned perRow) {
  const FieldData out = vertex.getFieldInfo("out");
  std::uint64_t total = 0;
  for (std::size_t row = 0; row < out.size(); ++row)
    total += out.getSizeAtIndex(row);
  const std::uint64_t share = ceilDiv(total, workers);
  if (out.size() == 1)
    return supervisor + workers * (perWorker + rate.of(share));
  const std::uint64_t rows = ceilDiv(out.size(), workers);
  return supervisor + workers * (20 + rows * (perRow + rate.of(ceilDiv(share, rows))));
}

template <typename T> T valueOf(const VertexIntrospector &vertex, const char *field, const Target &target) {
  return vertex.getFieldInfo(field).getInitialValue<T>(target);
}

VertexPerfEstimate estimateUnary(const VertexIntrospector &vertex, const Target &target) {
  const Kind k = kindOf(vertex.vertexType());
  const auto op = static_cast<UnaryOpType>(valueOf<unsigned>(vertex, "op", target));
  const bool inPlace = valueOf<unsigned>(vertex, "inPlace", target);
  const unsigned perWorker = inPlace ? 55 : op == UnaryOpType::EXPONENT ? 33 : 17;
  return tileCycles(vertex, unaryRate(op, k, inPlace), perWorker, 10) + 9;
}

VertexPerfEstimate estimateBinary(const VertexIntrospector &vertex, const Target &target) {
  const Kind k = kindOf(vertex.vertexType());
  const auto op = static_cast<BinaryOpType>(valueOf<unsigned>(vertex, "op", target));
  const bool inPlace = valueOf<unsigned>(vertex, "inPlace", target);
  const bool scalar = !valueOf<unsigned>(vertex, "step1", target) || !valueOf<unsigned>(vertex, "step2", target);
  const unsigned perWorker = scalar ? 20 : inPlace ? 58 : k.isFloat ? 29 : 26;
  return tileCycles(vertex, binaryRate(op, k, scalar, inPlace), perWorker, scalar ? 28 : 20);
}

VertexPerfEstimate estimateSelect(const VertexIntrospector &vertex, const Target &) {
  return tileCycles(vertex, {5, 1}, 11, 6);
}

VertexPerfEstimate estimateClamp(const VertexIntrospector &vertex, const Target &) {
  return tileCycles(vertex, {2, kindOf(vertex.vertexType()).vector}, 11, 6);
}

// A conversion between floating-point types goes by vectors, others one by one.
VertexPerfEstimate estimateCast(const VertexIntrospector &vertex, const Target &) {
  const std::string &type = vertex.vertexType();
  const bool toHalf = type.find("<float,half>") != std::string::npos;
  const bool toFloat = type.find("<half,float>") != std::string::npos;
  const Rate rate = toHalf ? Rate{2, 4} : toFloat ? Rate{1, 2} : Rate{2, 1};
  return tileCycles(vertex, rate, 18 + 19, 11 + 19) + 1;
}

// Vectors are loaded and stored by instructions that do nothing else: one for each operand and the result.
std::uint64_t withoutMemory(const Rate &rate, const Kind &k, unsigned operands, std::uint64_t n) {
  const std::uint64_t all = rate.of(n), memory = (operands + 1) * ceilDiv(n, k.vector), least = ceilDiv(n, k.vector);
  return all > memory + least ? all - memory : least;
}

} // namespace

std::uint64_t arithmeticCycles(UnaryOpType op, const Type &type, std::uint64_t n) {
  const Kind k = kindOfType(type.toString());
  return withoutMemory(unaryRate(op, k, false), k, 1, n);
}

std::uint64_t arithmeticCycles(BinaryOpType op, const Type &type, std::uint64_t n) {
  const Kind k = kindOfType(type.toString());
  return withoutMemory(binaryRate(op, k, false, false), k, 2, n);
}

poputil::internal::Estimators elementWiseEstimators() {
  return {{"popops::UnaryOp", estimateUnary},
          {"popops::BinaryOp", estimateBinary},
          {"popops::Select", estimateSelect},
          {"popops::Clamp", estimateClamp},
          {"popops::Cast", estimateCast}};
}

} // namespace popops
