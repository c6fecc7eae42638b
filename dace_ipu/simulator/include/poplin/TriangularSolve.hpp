// Systems of equations with triangular matrices.
#ifndef poplin_TriangularSolve_hpp
#define poplin_TriangularSolve_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>

#include <vector>

// Matrices are the two innermost dimensions of FLOAT or HALF tensors of rank 2 or more; the others are a batch. Options: blockSize
// (64: rows that are solved on one tile; what is left is matrix products), and those of poplin/MatMul.hpp. Errors: poputil::poplibs_error for
// shapes and types that do not fit.
namespace poplin {

poplar::Tensor createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// X with a X = b (`leftSide`), or X a = b. Only the `lower` or upper triangle of `a` is read, and not its diagonal if `unitDiagonal`.
poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b, bool leftSide,
                               bool lower, bool unitDiagonal, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                               PlanningCache *cache = nullptr);

/// A copy of `a` with zeros in the other triangle and, with `unitDiagonal`, ones on the diagonal.
poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower, bool unitDiagonal,
                              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace poplin

#endif
