// One element of each row.
#ifndef popops_SelectScalarFromRows_hpp
#define popops_SelectScalarFromRows_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// params[i][indices[i]]: `params` FLOAT or HALF {rows, width}, `indices` UNSIGNED_INT {rows}. An index that is too large
/// gives NaN, MASKED_LABEL_CODE (0xffffffff) gives zero. Throws poputil::poplibs_error for types and shapes that do not fit.
poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
