// Matrices that every tile transposes for itself, in blocks.
#ifndef DACE_IPU_TURNED_BLOCKS_HPP
#define DACE_IPU_TURNED_BLOCKS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

namespace dace_ipu {

/// A new tensor {columns, rows} with the elements of `matrix`, in memory by columns: each stays on its tile. Where the
/// matrix is FLOAT and lies in a grid, a vertex a block moves them; a Copy, which moves one by one, otherwise.
poplar::Tensor turnedBlocks(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &matrix,
                            const std::string &name);

} // namespace dace_ipu

#endif // DACE_IPU_TURNED_BLOCKS_HPP
