// What slices and updates cost. Source: PopLibs, popopsCycleEstimators.cpp (MultiSlice, MultiUpdate, MultiUpdateOp).
#include "../indexing_estimators.hpp"

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

constexpr std::uint64_t workers = 6;

std::uint64_t valueOf(const VertexIntrospector &v, const Target &target, const char *field) {
  return v.getFieldInfo(field).getInitialValue<std::uint64_t>(target);
}

std::string firstArgument(const VertexIntrospector &v) {
  const std::string &name = v.vertexType();
  const std::size_t open = name.find('<');
  return name.substr(open + 1, name.find_first_of(",>", open) - open - 1);
}

// 2 slots move 4 bytes-wide elements in pairs, 2-byte ones too; 1-byte ones take 3 slots for 4; 8-byte ones count twice.
std::uint64_t copySlots(const std::string &type, std::uint64_t n) {
  if (type == "unsigned char")
    return (n + 3) / 4 * 3;
  if (type == "unsigned long long")
    return 2 * n;
  return (n + 1) / 2 * 2;
}

// Every row is found here, in the worst case; the workers share them.
VertexPerfEstimate estimateCopies(const VertexIntrospector &v, const Target &target, std::uint64_t entry) {
  const std::uint64_t rows = valueOf(v, target, "numSlices") * valueOf(v, target, "slots");
  const std::uint64_t region = valueOf(v, target, "regionSize");
  const std::string type = firstArgument(v);
  const bool byRow = rows >= workers || rows >= region;
  const std::uint64_t mine = byRow ? (rows + workers - 1) / workers : rows;
  const std::uint64_t length = byRow ? region : (region + workers - 1) / workers;
  return workers * (entry + mine * (19 + copySlots(type, length)));
}

VertexPerfEstimate estimateSlice(const VertexIntrospector &v, const Target &target) {
  return estimateCopies(v, target, 30);
}

VertexPerfEstimate estimateUpdate(const VertexIntrospector &v, const Target &target) {
  return estimateCopies(v, target, 29);
}

// Worst case: one worker finds all rows. Types below a word write each element with 20 slots more.
VertexPerfEstimate estimateUpdateOp(const VertexIntrospector &v, const Target &target) {
  const std::uint64_t rows = valueOf(v, target, "numSlices") * valueOf(v, target, "slots");
  const std::uint64_t region = valueOf(v, target, "regionSize");
  const bool isHalf = firstArgument(v) == "half";
  const std::uint64_t atoms = isHalf ? (region + 1) / 2 : region;
  return workers * (3 + 30 + 5 + rows * (12 + (std::max<std::uint64_t>(atoms, 1) - 1) * 3));
}

// Two loads and an or for each word of each part: not a vertex of PopLibs.
VertexPerfEstimate estimateCombine(const VertexIntrospector &v, const Target &target) {
  const std::size_t size = std::max<std::size_t>(4, firstArgument(v) == "unsigned long long" ? 8 : 4);
  (void)target;
  const std::uint64_t n = v.getFieldInfo("out").size(), parts = v.getFieldInfo("parts").size();
  const std::uint64_t mine = (n + workers - 1) / workers;
  return 11 + workers * (20 + mine * (3 + 3 * parts) * size / 4);
}

// Two loads, or, store for each element of each part, and 8 slots for each part. Workers share the elements.
VertexPerfEstimate estimateCollect(const VertexIntrospector &v, const Target &) {
  const FieldData parts = v.getFieldInfo("parts");
  std::uint64_t elements = v.getFieldInfo("out").size();
  for (std::size_t p = 0; p < parts.size(); ++p)
    elements += 4 * parts.getSizeAtIndex(p);
  return 11 + workers * (20 + 8 * parts.size() + (elements + workers - 1) / workers);
}

} // namespace

poputil::internal::Estimators sliceEstimators() {
  return {{"popops::MultiSlice", estimateSlice},
          {"popops::MultiUpdate", estimateUpdate},
          {"popops::MultiUpdateOp", estimateUpdateOp},
          {"popops::CombineSlices", estimateCombine},
          {"popops::CollectSlices", estimateCollect}};
}

} // namespace popops
