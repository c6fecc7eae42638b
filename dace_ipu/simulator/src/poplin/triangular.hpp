// Blocks of triangular matrices.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>

namespace poplin::internal {

/// A tensor of square matrices as [batch, n, n]. Throws poputil::poplibs_error, naming `what`, if it is none or has another type than FLOAT or HALF.
poplar::Tensor asSquares(const char *what, const poplar::DebugContext &debugContext, const poplar::Tensor &t);

/// Takes blockSize (at least 1) out of the options.
std::size_t takeBlockSize(poplar::OptionFlags &options);

/// Blocks [batch, n, n], each matrix on a tile.
poplar::Tensor createBlocks(poplar::Graph &graph, const poplar::Type &type, std::size_t batch, std::size_t n,
                            const poplar::DebugContext &debugContext);

/// Replaces blocks by their Cholesky factors.
void factorBlocks(poplar::Graph &graph, const poplar::Tensor &blocks, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext);
/// The inverses of lower triangular blocks.
poplar::Tensor invertBlocks(poplar::Graph &graph, const poplar::Tensor &blocks, bool unitDiagonal,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace poplin::internal
