// Products of a sparse and a dense matrix; where the zeros are is known when the graph is built.
#ifndef popsparse_MatMul_hpp
#define popsparse_MatMul_hpp

#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace popsparse {
namespace static_ {

// FLOAT or HALF, sums in float, T float or double. Dense matrices have a leading dimension of 1 for the one group. The
// option availableMemoryProportion is accepted and changes nothing. Throws poputil::poplibs_error for matrices that do
// not fit the parameters, and for transposed sparse matrices, which are not supported yet.

/// {m, k}, for sparseDenseMatMul.
template <typename T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrLHS, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// {k, m}, for denseSparseMatMul.
template <typename T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrRHS, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// {1, k, n}.
template <typename T>
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &csrLHS,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags options = {}, PlanningCache *cache = nullptr);
/// {1, n, k}.
template <typename T>
poplar::Tensor createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &csrRHS,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags options = {}, PlanningCache *cache = nullptr);

/// {1, m, k} * {1, k, n} = {1, m, n}.
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
                                 poplar::program::Sequence &prog, bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
/// {1, n, k} * {1, k, m} = {1, n, m}.
poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs, const SparseTensor &rhs,
                                 poplar::program::Sequence &prog, bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace static_
} // namespace popsparse

#endif
