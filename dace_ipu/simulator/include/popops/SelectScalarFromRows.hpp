// One element of every row.
#ifndef popops_SelectScalarFromRows_hpp
#define popops_SelectScalarFromRows_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Element i of the result {n} is params[i][indices[i]]; NaN if that index is beyond the row, zero if it is
/// MASKED_LABEL_CODE. `params` {n, width} is of FLOAT or HALF, `indices` {n} of UNSIGNED_INT (poputil::poplibs_error).
poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
