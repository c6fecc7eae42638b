// The k largest or smallest elements of the last dimension.
#ifndef popops_TopK_hpp
#define popops_TopK_hpp

#include <popops/SortOrder.hpp>

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <iosfwd>
#include <utility>
#include <vector>

namespace popops {

struct TopKParams {
  unsigned k;
  bool largest;
  SortOrder sortOrder;
  bool stableSort;

  TopKParams(unsigned k, bool largest, SortOrder sortOrder, bool stableSort = false) noexcept;
};

std::ostream &operator<<(std::ostream &os, const TopKParams &p);

// Keys are FLOAT, HALF, INT or UNSIGNED_INT. The results have the shape of the keys with k as last dimension. Of equal
// keys those with the smaller index win; with `stableSort` they also keep their order.
// Throws poputil::poplibs_error if k is larger than the last dimension, or for types and shapes that do not fit.

poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
                               const TopKParams &params, const poplar::DebugContext &debugContext = {});

poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});

/// Also the values of any type that belong to the keys.
std::pair<poplar::Tensor, poplar::Tensor> topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                       const poplar::Tensor &keys, const poplar::Tensor &values,
                                                       const TopKParams &params,
                                                       const poplar::DebugContext &debugContext = {});

/// Also the indices of the keys, UNSIGNED_INT.
std::pair<poplar::Tensor, poplar::Tensor> topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                              const poplar::Tensor &t, const TopKParams &params,
                                                              const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
