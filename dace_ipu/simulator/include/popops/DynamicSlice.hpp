// Slices and updates at places that are known at run time only.
#ifndef popops_DynamicSlice_hpp
#define popops_DynamicSlice_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace popops {

class SlicePlanInternal;

/// How a table is spread for multiSlice and multiUpdate. A default one is valid: no plan.
class SlicePlan {
public:
  SlicePlan();
  ~SlicePlan();
  SlicePlan(const SlicePlan &other);
  SlicePlan(SlicePlan &&other);
  SlicePlan &operator=(const SlicePlan &other);
  SlicePlan &operator=(SlicePlan &&other);

  friend std::ostream &operator<<(std::ostream &o, const SlicePlan &p);
  friend bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept;
  friend bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept;

  /// For the library itself.
  explicit SlicePlan(std::unique_ptr<SlicePlanInternal> internal);
  SlicePlanInternal &getImpl() const { return *internal; }

private:
  std::unique_ptr<SlicePlanInternal> internal;
};
std::ostream &operator<<(std::ostream &o, const SlicePlan &p);
bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept;
bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept;
bool operator!=(const SlicePlan &a, const SlicePlan &b) noexcept;

// In all functions `dims` are the dimensions that are sliced, `sizes` the lengths of a slice in them. An offset that is
// not below the size of its dimension selects nothing: zeros are read, nothing is written; with the option
// remapOutOfBoundIndices it counts as 0. A slice that begins inside and runs over the end goes on at 0.
// Throws poputil::poplibs_error for shapes, types or dimensions that do not fit, poplar::invalid_option.

/// A variable of `shape` in which every sliced element sequence lies on one tile: the other dimensions are spread over
/// the tiles, at least `minGrainSize` elements on each (0: a vector of the type).
poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                     const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                     const std::vector<std::size_t> &sizes, std::size_t minGrainSize = 0,
                                     const poplar::DebugContext &debugContext = {});
/// With a plan the sliced dimensions may be spread too.
poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                     const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                     const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                     const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
/// Shape {groupSize, shape...}.
poplar::Tensor createGroupedSliceableTensor(poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
                                            const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                            const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                            const poplar::OptionFlags &options,
                                            const poplar::DebugContext &debugContext = {});

/// A variable for `numIndices` slices of `t`, near the data of t: shape {numIndices, shape of t with sizes in dims}.
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t, const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {});
/// The same for a tensor that createSliceableTensor makes of `shape` and `plan`.
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                 std::size_t numIndices, const SlicePlan &plan, const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedSliceTensor(poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
                                        const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                        const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                        const SlicePlan &plan, const poplar::OptionFlags &options,
                                        const poplar::DebugContext &debugContext = {});

/// Offsets: UNSIGNED_INT of shape {numIndices, dims.size()}, spread over the tiles.
poplar::Tensor createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims, std::size_t numIndices,
                                   const SlicePlan &plan, const poplar::OptionFlags &options,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedIndicesTensor(poplar::Graph &graph, std::size_t groupSize,
                                          const std::vector<std::size_t> &dims, std::size_t numIndices,
                                          const SlicePlan &plan, const poplar::OptionFlags &options,
                                          const poplar::DebugContext &debugContext = {});

/// A variable of numSlices[i] slices like `s` in dimension dims[i], each mapped as s is.
poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                                              const std::vector<std::size_t> &dims,
                                              const std::vector<std::size_t> &numSlices,
                                              const poplar::DebugContext &debugContext = {});

/// The slice of `t` at `offset` (UNSIGNED_INT or INT, shape {dims.size()}). Options: remapOutOfBoundIndices,
/// paddingIndexUsed (no effect: a padding index reads zeros in any case).
poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
poplar::Tensor createDynamicSliceOutput(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
                                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output, const poplar::Tensor &t,
                            const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
/// The mapping that dynamicSlice gives its result.
poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph &graph, const poplar::Tensor &t,
                                                   const std::vector<std::size_t> &dims,
                                                   const std::vector<std::size_t> &sizes);

/// Writes `s` into `t` at `offset`.
void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s, const poplar::Tensor &offset,
                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

/// A slice for every row of `offsets` (shape {n, dims.size()}): shape {n, shape of t with sizes in dims}.
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                          const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                          poplar::program::Sequence &prog, const SlicePlan &plan, const poplar::OptionFlags &options,
                          const poplar::DebugContext &debugContext = {});
/// t {groups, ...}, offsets {groups, n, dims.size()}; dims and sizes do not count the groups.
poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog, const SlicePlan &plan,
                                 const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
/// Slices of length 1 at places known now: copies.
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, poplar::ArrayRef<unsigned> offsets,
                          std::size_t dim, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &optionFlags = {});

/// Writes slice i of `s` at offsets[i], in this order: of equal offsets the last one stays.
void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s, const poplar::Tensor &offsets,
                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                 poplar::program::Sequence &prog, const SlicePlan &plan, const poplar::OptionFlags &options,
                 const poplar::DebugContext &debugContext = {});
void groupedMultiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &plan,
                        const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});

/// t[offsets[i]] += scale * s[i]; equal offsets accumulate. FLOAT, HALF, INT and UNSIGNED_INT. `scale` is one element of
/// the type of t, or FLOAT for HALF.
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const poplar::Tensor &scale, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const poplar::Tensor &scale,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           poplar::program::Sequence &prog, const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    poplar::ArrayRef<unsigned> offsets, const poplar::Tensor &scale, std::size_t dim,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &optionFlags = {});

/// t[offsets[i]] = max(t[offsets[i]], s[i]).
void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
/// t[offsets[i]] *= s[i].
void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});

namespace embedding {

/// Plans lookups in a table of `numEntries` rows of `outputSize` elements. Options: usedForSlice, usedForUpdate,
/// operationForUpdate, partialType, availableMemoryProportion, indicesDistribution, indicesAreSorted, validateIndices,
/// remapOutOfBoundIndices, paddingIndexUsed, planConstraints. They are checked; the plan depends on sizes only.
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t> &numLookups, const poplar::OptionFlags &options);
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t groupSize, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t> &numLookups, const poplar::OptionFlags &options);

struct SlicePlanningParameters {
  const poplar::Graph &graph;
  const poplar::Type dataType;
  const std::size_t groupSize;
  const std::size_t numEntries;
  const std::size_t outputSize;
  const std::vector<std::size_t> numLookups;
  const poplar::OptionFlags optionFlags;

  SlicePlanningParameters(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t groupSize,
                          std::size_t numEntries, std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                          const poplar::OptionFlags &optionFlags)
      : graph(graph), dataType(dataType), groupSize(groupSize), numEntries(numEntries), outputSize(outputSize),
        numLookups(numLookups), optionFlags(optionFlags) {}
  SlicePlanningParameters(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t numEntries,
                          std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                          const poplar::OptionFlags &optionFlags)
      : SlicePlanningParameters(graph, dataType, 1, numEntries, outputSize, numLookups, optionFlags) {}
};

std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters> &parameters);

} // namespace embedding
} // namespace popops

#endif
