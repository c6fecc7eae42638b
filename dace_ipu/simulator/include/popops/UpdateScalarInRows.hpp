// One element of each row, decremented.
#ifndef popops_UpdateScalarInRows_hpp
#define popops_UpdateScalarInRows_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// params[i][indices[i]] -= 1: `params` FLOAT or HALF {rows, width}, `indices` UNSIGNED_INT {rows}. An index that is too
/// large sets its whole row to NaN, MASKED_LABEL_CODE (0xffffffff) changes nothing.
/// Throws poputil::poplibs_error for types and shapes that do not fit.
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                        poplar::program::Sequence &program, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
