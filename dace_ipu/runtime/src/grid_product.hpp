// Products of a vector and a matrix that already lies on the tiles in a grid of blocks: it stays where it is, and is
// read along its rows or across them.
#ifndef DACE_IPU_GRID_PRODUCT_HPP
#define DACE_IPU_GRID_PRODUCT_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace dace_ipu {

/// The rows and columns at which a matrix is cut, ends included, and the tiles of the blocks, row-major. Without tiles
/// if it is not cut so: if a tile holds several blocks, or far more than others.
struct Grid {
  std::vector<std::size_t> rows, columns;
  std::vector<unsigned> tiles;

  Grid() = default;
  Grid(const poplar::Graph &graph, const poplar::Tensor &matrix);
};

/// target = matrix * vector, or vector * matrix if `across` the rows. All are FLOAT; `matrix` has rank 2, the others 1.
void multiplyOnGrid(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &matrix,
                    const Grid &grid, const poplar::Tensor &vector, const poplar::Tensor &target, bool across,
                    const std::string &name);

} // namespace dace_ipu

#endif // DACE_IPU_GRID_PRODUCT_HPP
