// How the elements of a tensor lie in memory.
#ifndef poputil_VarStructure_hpp
#define poputil_VarStructure_hpp

#include <poplar/Graph.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace poputil {

/// The largest divisor g of the innermost dimension such that every group of g consecutive elements along it is
/// contiguous in memory and on one tile. Throws poplibs_error for rank 0.
unsigned detectInnermostGrouping(const poplar::Graph &graph, const poplar::Tensor &t);

/// A dimension and how many consecutive indices of it are grouped.
using GroupingInfo = std::pair<unsigned, unsigned>;

/// The groups that memory is made of, from the innermost outwards; a dimension may occur more than once. Throws
/// poplibs_error for rank 0.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const poplar::Tensor &t);

/// A new variable in which every block of a balanced partition (nPartitions blocks along each dimension, the first
/// n mod d of them larger by one) is contiguous. Throws poplibs_error if ranks differ or a count is zero.
poplar::Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                         const std::vector<std::size_t> &shape,
                                         const std::vector<std::size_t> &nPartitions,
                                         const poplar::DebugContext &debugContext = {});

/// Calls f(block indices, block) for every block of that partition that has elements, in row-major order.
void iterateTensorPartitions(const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
                             const std::function<void(const std::vector<std::size_t> &i, const poplar::Tensor &s)> &f);

} // namespace poputil

#endif
