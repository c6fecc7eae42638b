#include "plan.hpp"
#include "shapes.hpp"

#include <algorithm>
#include <ostream>
#include <tuple>

namespace popops {

using namespace poplar;

SlicePlan::SlicePlan() : internal(new SlicePlanInternal()) {}
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan &other) : internal(new SlicePlanInternal(*other.internal)) {}
SlicePlan::SlicePlan(SlicePlan &&other) : internal(std::move(other.internal)) {
  other.internal.reset(new SlicePlanInternal());
}
SlicePlan &SlicePlan::operator=(const SlicePlan &other) {
  *internal = *other.internal;
  return *this;
}
SlicePlan &SlicePlan::operator=(SlicePlan &&other) {
  std::swap(internal, other.internal);
  return *this;
}
SlicePlan::SlicePlan(std::unique_ptr<SlicePlanInternal> plan) : internal(std::move(plan)) {}

namespace {

std::tuple<std::size_t, std::size_t, std::size_t> key(const SlicePlan &p) {
  return {p.getImpl().groups, p.getImpl().rowsPerTile, p.getImpl().colsPerTile};
}

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

} // namespace

bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept { return key(a) < key(b); }
bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept { return key(a) == key(b); }
bool operator!=(const SlicePlan &a, const SlicePlan &b) noexcept { return !(a == b); }

std::ostream &operator<<(std::ostream &o, const SlicePlan &p) {
  const SlicePlanInternal &plan = p.getImpl();
  if (plan.isNull())
    return o << "SlicePlan{none}";
  return o << "SlicePlan{groups " << plan.groups << ", rows per tile " << plan.rowsPerTile << ", columns per tile "
           << plan.colsPerTile << "}";
}

namespace embedding {

SlicePlan plan(const Graph &graph, const Type &dataType, std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t> &numLookups, const OptionFlags &options) {
  return plan(graph, dataType, 1, numEntries, outputSize, numLookups, options);
}

// Not PopLibs' planner: columns first, in grains of a vector, so that most tables need one stage; rows only while every
// tile keeps 4 KiB or more, because each split of the rows adds a partial result to every slice.
SlicePlan plan(const Graph &graph, const Type &dataType, std::size_t groupSize, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t> &, const OptionFlags &options) {
  slice::Options checked(options);
  constexpr std::size_t leastBytes = 4096;
  const std::size_t groups = std::max<std::size_t>(1, groupSize);
  const std::size_t tiles = std::max<std::size_t>(1, graph.getTarget().getNumTiles() / groups);
  const std::size_t grain = graph.getTarget().getVectorWidth(dataType);
  auto result = std::make_unique<SlicePlanInternal>();
  result->groups = groups;
  result->colsPerTile = std::max<std::size_t>(1, ceilDiv(ceilDiv(outputSize, tiles), grain) * grain);
  const std::size_t blocks = std::max<std::size_t>(1, ceilDiv(outputSize, result->colsPerTile));
  const std::size_t bytes = numEntries * result->colsPerTile * graph.getTarget().getTypeSize(dataType);
  const std::size_t rowParts = std::clamp<std::size_t>(bytes / leastBytes, 1, std::max<std::size_t>(1, tiles / blocks));
  result->rowsPerTile = std::max<std::size_t>(1, ceilDiv(numEntries, rowParts));
  return SlicePlan(std::move(result));
}

std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters> &parameters) {
  std::vector<SlicePlan> plans;
  for (const SlicePlanningParameters &p : parameters)
    plans.push_back(plan(p.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize, p.numLookups, p.optionFlags));
  return plans;
}

} // namespace embedding
} // namespace popops
