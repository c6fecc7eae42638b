// QR factorisation.
#ifndef poplin_QRFactorization_hpp
#define poplin_QRFactorization_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <array>
#include <cstddef>

namespace poplin {
namespace experimental {

/// A [m, n] and Q [m, m] of FLOAT or HALF, rows over the tiles.
std::array<poplar::Tensor, 2> createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                                                            const std::size_t m, const std::size_t n,
                                                            const poplar::DebugContext &debugContext);

/// Replaces A [m, n], m >= n, by R, upper triangular, and Q, which must hold the identity, by the orthogonal matrix for
/// which Q R is the old A. HALF is computed in FLOAT. The option rowsPerIteration has no effect.
///
/// By Householder's reflections, one column after another in a loop (Golub and Van Loan, "Matrix Computations",
/// 5.2.1). Throws poputil::poplibs_error for shapes and types that do not fit, poplar::invalid_option.
void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

} // namespace experimental
} // namespace poplin

#endif
