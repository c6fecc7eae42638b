// What the vertices cost that work on rows of tensors, and histograms. Source: PopLibs, popopsCycleEstimators.cpp.
#include "../indexing_estimators.hpp"

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

constexpr std::uint64_t workers = 6;

bool isHalf(const VertexIntrospector &v) { return v.vertexType().find("<half>") != std::string::npos; }
std::uint64_t sizeOf(const VertexIntrospector &v, const char *field) { return v.getFieldInfo(field).size(); }

// SelectFromInterval, UpdateIntervalDEC: 27 slots and 8 a row, 12 for halves; the workers share the rows.
VertexPerfEstimate estimateScalars(const VertexIntrospector &v, const Target &) {
  const std::uint64_t rows = (sizeOf(v, "indices") + workers - 1) / workers;
  return 11 + workers * (27 + (isHalf(v) ? 12 : 8) * rows);
}

// All rows of one side are copied: 2 slots for 4 bytes, 60 cycles for the call and for every sequence.
VertexPerfEstimate estimateSequences(const VertexIntrospector &v, const Target &) {
  const std::uint64_t elements = std::min(sizeOf(v, "src"), sizeOf(v, "dst")), sequences = sizeOf(v, "counts");
  const std::string &type = v.vertexType();
  const std::uint64_t bytes = type.find("char") != std::string::npos    ? 1
                              : type.find("short") != std::string::npos ? 2
                              : type.find("long") != std::string::npos  ? 8
                                                                        : 4;
  return 60 + 60 * sequences + elements * bytes / 4 * 2;
}

// Histogram1D, split by limits: every worker passes all data once for each of its levels, 3 slots a vector and 1 more
// for the absolute value.
VertexPerfEstimate estimateHistogram(const VertexIntrospector &v, const Target &target) {
  const bool absolute = v.getFieldInfo("absolute").getInitialValue<bool>(target);
  const std::uint64_t width = isHalf(v) ? 4 : 2, vectors = (sizeOf(v, "data") + width - 1) / width;
  const std::uint64_t levels = (sizeOf(v, "levels") + workers - 1) / workers;
  return 11 + workers * (30 + levels * (15 + (3 + absolute) * vectors));
}

// A load and an addition for each part, load and store once.
VertexPerfEstimate estimateSum(const VertexIntrospector &v, const Target &) {
  return 11 + workers * (20 + (2 * sizeOf(v, "parts") + 4) * ((sizeOf(v, "out") + workers - 1) / workers));
}

} // namespace

poputil::internal::Estimators rowEstimators() {
  return {{"popops::SelectFromRows", estimateScalars},
          {"popops::DecrementInRows", estimateScalars},
          {"popops::SequenceSlice", estimateSequences},
          {"popops::Histogram", estimateHistogram},
          {"popops::SumCounts", estimateSum}};
}

} // namespace popops
