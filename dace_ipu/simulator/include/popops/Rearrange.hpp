// Transpositions in memory.
#ifndef popops_Rearrange_hpp
#define popops_Rearrange_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/VarStructure.hpp>

#include <cstddef>
#include <vector>

namespace popops {
namespace rearrange {

/// A new tensor with the two innermost dimensions of `in` exchanged in memory too: vertices in `cs` write it. Every matrix
/// lies on the tile of its first element. Throws poputil::poplibs_error for a rank below 2.
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in, const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});

/// The smallest group that is worth a transposition: 8 bytes.
unsigned getMinimumRegroupGrainSize(const poplar::Type &type);

/// The same values, in memory grouped by `to` (dimension, size) inside what was grouped by `from`. Both must divide their
/// dimensions, which differ (poputil::poplibs_error). The second form executes `transposeCS` itself.
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &copies,
                             const poplar::ComputeSet &transposeCS, const poputil::GroupingInfo &from,
                             const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t, std::vector<poplar::program::Copy> &copies,
                             const poplar::ComputeSet &transposeCS, const poputil::GroupingInfo &from,
                             const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {});

/// regroupTensor from the innermost group that `t` has, or `t` itself if it has none of another dimension that is worth
/// it.
poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                                 const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {});
/// The same to the innermost group of `ref`, or to `preferredGrouping` of the innermost dimension.
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
                                   std::vector<poplar::program::Copy> &copies, poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, std::size_t preferredGrouping,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace rearrange
} // namespace popops

#endif
