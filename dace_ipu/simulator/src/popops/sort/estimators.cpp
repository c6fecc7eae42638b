// What sorting costs.
#include "../indexing_estimators.hpp"

#include <algorithm>
#include <cmath>

namespace popops {

using namespace poplar;

namespace {

constexpr std::uint64_t workers = 6;

std::uint64_t valueOf(const VertexIntrospector &v, const Target &target, const char *field) {
  return v.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
}

// Source: PopLibs, popopsCycleEstimators.cpp, HeapSortVertexKV, in slots; a row is sorted by one worker.
VertexPerfEstimate estimateSort(const VertexIntrospector &v, const Target &target) {
  const std::uint64_t n = std::max<std::uint64_t>(1, valueOf(v, target, "rowLength"));
  const std::uint64_t levels = static_cast<std::uint64_t>(std::log2(static_cast<double>(n)));
  const std::uint64_t each = (valueOf(v, target, "numRows") + workers - 1) / workers;
  return 11 + workers * (7 + each * 16 * (19 * n * levels + 6 * n + 2));
}

// Not in PopLibs: two compares and branches, four loads, two stores and two increments an element.
VertexPerfEstimate estimateMerge(const VertexIntrospector &v, const Target &) {
  return 20 + 12 * v.getFieldInfo("keys").size();
}

// Not in PopLibs: load the index, the division once a row, load, store.
VertexPerfEstimate estimatePermute(const VertexIntrospector &v, const Target &) {
  return 11 + workers * (20 + 8 * ((v.getFieldInfo("from").size() + workers - 1) / workers));
}

} // namespace

poputil::internal::Estimators sortEstimators() {
  return {{"popops::SortRows", estimateSort},
          {"popops::MergeSplit", estimateMerge},
          {"popops::PermuteRows", estimatePermute}};
}

} // namespace popops
