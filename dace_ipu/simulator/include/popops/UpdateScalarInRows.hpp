// One less at one element of every row.
#ifndef popops_UpdateScalarInRows_hpp
#define popops_UpdateScalarInRows_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Subtracts 1 from params[i][indices[i]]; sets the row to NaN if that index is beyond it, and does nothing if it is
/// MASKED_LABEL_CODE. `params` {n, width} is of FLOAT or HALF, `indices` {n} of UNSIGNED_INT (poputil::poplibs_error).
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                        poplar::program::Sequence &program, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
