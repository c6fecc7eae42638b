// Cholesky factorisation.
#ifndef poplin_Cholesky_hpp
#define poplin_Cholesky_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>

#include <vector>

namespace poplin {

/// A matrix, or a batch of them in the leading dimensions, spread over the tiles.
poplar::Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
                                   bool lower, const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// The triangular L with a = L L^T (`lower`), or U with a = U^T U; zeros in the other triangle. `a` is FLOAT or HALF, positive definite, and
/// only its `lower` or upper triangle is read. A matrix that is not positive definite gives NaN.
///
/// Options: blockSize (64: columns that are factorised on one tile; what is left is matrix products), and those of poplin/MatMul.hpp.
/// Throws poputil::poplibs_error for shapes and types that do not fit.
poplar::Tensor cholesky(poplar::Graph &graph, const poplar::Tensor &a, bool lower, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {}, poplar::OptionFlags options = {},
                        PlanningCache *cache = nullptr);
void choleskyInPlace(poplar::Graph &graph, const poplar::Tensor &a, bool lower, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {}, poplar::OptionFlags options = {},
                     PlanningCache *cache = nullptr);

} // namespace poplin

#endif
