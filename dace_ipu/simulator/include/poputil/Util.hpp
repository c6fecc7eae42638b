// Intervals, indices and shapes.
#ifndef poputil_Util_hpp
#define poputil_Util_hpp

#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace poputil {

/// Sorts intervals and joins those that touch; empty ones go. The second form does it for the list of every tile.
void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

/// The intervals of all lists, one after another.
std::vector<poplar::Interval> flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals);

/// Shares the elements of `regions` out to at most `maxPartitions` parts, in whole grains (of the elements counted over
/// all regions), by the rule of calcLinearTileMapping.
///
/// A part has at least `minElementsPerPartition` elements if there are enough, at most `maxElementsPerPartition` (which
/// may need more than `maxPartitions` parts), and its regions are cut at `maxElementsPerRegion`. Empty parts are left
/// out. Source of the rule: PopLibs, poputil/Util.cpp.
std::vector<std::vector<poplar::Interval>> splitRegions(const std::vector<poplar::Interval> &regions,
                                                        unsigned grainSize, unsigned maxPartitions,
                                                        unsigned minElementsPerPartition = 0,
                                                        unsigned maxElementsPerPartition = UINT_MAX,
                                                        unsigned maxElementsPerRegion = UINT_MAX);
/// The same with a part for every worker.
std::vector<std::vector<poplar::Interval>>
splitRegionsBetweenWorkers(const poplar::Target &target, const std::vector<poplar::Interval> &regions,
                           unsigned grainSize, unsigned minElementsPerPartition = 0,
                           unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);
/// The same for lists of intervals, as Graph::getSortedContiguousRegions returns them: a list stands for one region, and
/// a part of it is a list again.
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions, unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(const poplar::Target &target, const std::vector<std::vector<poplar::Interval>> &regions,
                           unsigned grainSize, unsigned minElementsPerPartition = 0,
                           unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// Coordinates of an element from its index in the flattened shape, and back.
template <class T> std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index) {
  std::vector<T> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
    coordinates[d] = static_cast<T>(index % shape[d]);
  assert(index == 0);
  return coordinates;
}
template <class T> std::size_t flattenIndex(const std::vector<T> &shape, const std::vector<T> &indices) {
  assert(indices.size() == shape.size());
  std::size_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + indices[d];
  return index;
}

std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>> &seq);

/// A clone with a copy of the data, which `p` makes.
poplar::Tensor
duplicate(poplar::Graph &graph, const poplar::Tensor &in, poplar::program::Sequence &p,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// N clones: shape {N} + t.shape().
poplar::Tensor cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N,
                      const poplar::DebugContext &debugContext = {},
                      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Sizes of `splitCount` parts of a range; the first ones are larger by one if it does not divide.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

/// The nearest half.
double castToDeviceHalfValue(const poplar::Target &target, double input);
/// Whether float to half changes a value by less than `tolerance` times the value; half to float is exact. Other pairs
/// of types throw poplibs_error.
bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType, poplar::Type outputType,
                           double tolerance);

/// Splits dimensions from `startDim` on: {.., a, b, ..} with factors {f, g} becomes {.., a / f, b / g, f, g, ..}. Throws
/// poplibs_error if a factor does not divide. unfactorDims undoes it for `numDims` dimensions.
poplar::Tensor factorDims(const poplar::Tensor &t, const std::vector<std::size_t> &factors, unsigned startDim = 0);
poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims, unsigned startDim = 0);

/// If `b` is the concatenation of the slices `intervals` of `a`, the concatenation of the slices of `b` by the result
/// is `a`. The intervals must be without overlap and without gap.
std::vector<poplar::Interval> calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals);

} // namespace poputil

#endif
