#include "costs.hpp"

#include <poplar/VertexIntrospector.hpp>

#include <algorithm>
#include <string>

namespace poplin::internal {

using namespace poplar;

namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Slots of one worker of ConvPartial1x1Out for `n` field elements.
std::uint64_t halfWorkerSlots(std::uint64_t n, bool zeroing, bool retainWeights) {
  const std::uint64_t small[] = {20u + (zeroing ? 1 : 2), 31u + (zeroing ? 1 : 2), 40u + (zeroing ? 1 : 2)};
  const std::uint64_t slots = n < 3 ? small[n] : (zeroing ? 37 : 38) + 4 * (n - 3);
  return slots - (retainWeights ? 7 : 0);
}

std::uint64_t floatWorkerSlots(std::uint64_t n, bool zeroing, std::uint64_t units) {
  const std::uint64_t z = units / 2, zero = zeroing ? 1 : 0;
  if (n == 0)
    return 24;
  if (n < 3)
    return (n == 1 ? 47 : 46) + (2 + n * z) * zero;
  return 46 + (2 + z * n) * zero + 8 * (n - 3);
}

struct InnerLoop {
  std::uint64_t workers, units, rows;
  bool isFloat;
  std::uint64_t slots(std::uint64_t n, bool zeroing) const {
    return isFloat ? floatWorkerSlots(n, zeroing, units) : halfWorkerSlots(n, zeroing, true);
  }
  std::uint64_t cycles(bool zeroing) const {
    const std::uint64_t most = workers * slots(ceilDiv(rows, workers), zeroing);
    const std::uint64_t least = workers * slots(rows / workers, zeroing);
    return std::max(most, least + 14);
  }
};

// Source: PopLibs, poplin/PerformanceEstimation.hpp.
std::uint64_t denseDotProductSlots(bool isFloat, std::uint64_t size) {
  if (isFloat)
    return 4 + (size % 2 == 0 ? size : 2 * size);
  return size % 4 == 0 ? 6 + size / 4 : 4 + size;
}

} // namespace

// Source: PopLibs, poplin/PerformanceEstimation.hpp, getConvPartial1x1SupervisorCycleEstimate.
std::uint64_t convPartial1x1Cycles(const Target &target, const TileProduct &work, bool isFloat, bool floatPartials,
                                   std::uint64_t depthGroup, std::uint64_t columnGroup) {
  const Type type = isFloat ? FLOAT : HALF;
  const std::uint64_t workers = target.getNumWorkerContexts();
  const std::uint64_t units = std::max(1u, target.getNumConvUnits(type, floatPartials ? FLOAT : HALF));
  const InnerLoop inner{workers, units, work.rows, isFloat};
  const std::uint64_t passes = ceilDiv(columnGroup, units);
  const std::uint64_t depthGroups = ceilDiv(work.depth, depthGroup), columnGroups = ceilDiv(work.columns, columnGroup);
  const std::uint64_t loads = units * target.getWeightsPerConvUnit(type) * target.getTypeSize(type) /
                              target.getConvUnitCoeffLoadBytesPerCycle();
  const std::uint64_t commonPath = isFloat ? 0 : 1;
  const std::uint64_t retention = isFloat ? 0 : workers * (7 + 3 * (depthGroups * work.groups - 1));
  const std::uint64_t later = 16 - commonPath + columnGroups * (19 + passes * (6 + loads + inner.cycles(false)));
  const std::uint64_t first = 11 + columnGroups * (19 - commonPath + passes * (7 + loads + inner.cycles(true)));
  return 50 + retention + work.groups * (12 + commonPath + (depthGroups - 1) * later + first);
}

// Source: PopLibs, poplin/PerformanceEstimation.hpp, getConvPartialHorizontalMacSupervisorCycleEstimate with one group of
// input and output channels. Rows are shared out to the workers.
std::uint64_t horizontalMacCycles(const Target &target, const TileProduct &work, bool isFloat) {
  const std::uint64_t workers = target.getNumWorkerContexts();
  const std::uint64_t rows = ceilDiv(work.rows, workers);
  const std::uint64_t slots = 16 + 16 + 19 + rows * (7 + work.columns * denseDotProductSlots(isFloat, work.depth));
  return (isFloat ? 58 : 63) + work.groups * (23 + 15 + 10 + workers * slots);
}

// Source: PopLibs, the estimators of ReduceAdd in poplin and of CastPartials for a single partial.
std::uint64_t reduceAddCycles(const Target &target, std::uint64_t size, std::uint64_t partials, bool floatPartials,
                              bool floatOut) {
  const std::uint64_t workers = target.getNumWorkerContexts();
  if (partials == 1) {
    const std::uint64_t share = ceilDiv(size, workers);
    return workers * (26 + std::max(ceilDiv(share, floatPartials ? 2 : 4), ceilDiv(share, floatOut ? 2 : 4)));
  }
  const std::uint64_t accumulators = floatPartials ? 4 : 8;
  const std::uint64_t loops = ceilDiv(ceilDiv(size, accumulators), workers);
  const std::uint64_t overhead = floatPartials ? (floatOut ? 7 : 6) : (floatOut ? 9 : 8);
  return workers * (32 + (3 * partials + overhead) * loops);
}

namespace {

std::uint64_t valueOf(const VertexIntrospector &vertex, const Target &target, const char *field) {
  return vertex.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
}

TileProduct workOf(const VertexIntrospector &vertex, const Target &target) {
  return {valueOf(vertex, target, "groups"), valueOf(vertex, target, "rows"), valueOf(vertex, target, "depth"),
          valueOf(vertex, target, "columns")};
}

std::uint64_t flops(const TileProduct &work) { return 2 * work.groups * work.rows * work.depth * work.columns; }

// Whether a template argument of the vertex is float: the first one is what a name has after '<', the second after ','.
bool argumentIsFloat(const VertexIntrospector &vertex, char before) {
  const std::string &name = vertex.vertexType();
  return name.compare(name.find(before) + 1, 5, "float") == 0;
}

VertexPerfEstimate estimateConvPartial1x1(const VertexIntrospector &vertex, const Target &target) {
  const TileProduct work = workOf(vertex, target);
  return {convPartial1x1Cycles(target, work, argumentIsFloat(vertex, '<'), argumentIsFloat(vertex, ','),
                               valueOf(vertex, target, "depthGroup"), valueOf(vertex, target, "columnGroup")),
          flops(work)};
}

VertexPerfEstimate estimateHorizontalMac(const VertexIntrospector &vertex, const Target &target) {
  const TileProduct work = workOf(vertex, target);
  return {horizontalMacCycles(target, work, argumentIsFloat(vertex, '<')), flops(work)};
}

VertexPerfEstimate estimateReduceAdd(const VertexIntrospector &vertex, const Target &target) {
  const std::uint64_t partials = vertex.getFieldInfo("partials").size(), size = valueOf(vertex, target, "size");
  return {reduceAddCycles(target, size, partials, argumentIsFloat(vertex, ','), argumentIsFloat(vertex, '<')),
          size * (partials - 1)};
}

// A triangle of dot products of growing length: two slots (load with multiply-add, load) a term, and a handful for each of
// them, with a division.
VertexPerfEstimate estimateTriangle(const VertexIntrospector &vertex, const Target &target) {
  const std::uint64_t n = valueOf(vertex, target, "size");
  const std::uint64_t products = n * (n + 1) / 2, terms = n * (n + 1) * (n + 2) / 6;
  return {20 + 12 * products + 2 * terms, 2 * terms};
}

} // namespace

poputil::internal::Estimators estimators() {
  return {{"poplin::ConvPartial1x1Out", estimateConvPartial1x1},
          {"poplin::ConvPartialHorizontalMac", estimateHorizontalMac},
          {"poplin::ReduceAdd", estimateReduceAdd},
          {"poplin::ReduceAddScaled", estimateReduceAdd},
          {"poplin::CholeskyBlock", estimateTriangle},
          {"poplin::InverseTriangle", estimateTriangle}};
}

} // namespace poplin::internal
