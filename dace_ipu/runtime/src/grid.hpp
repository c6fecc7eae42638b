// Matrices that lie on the tiles in a grid of blocks.
#ifndef DACE_IPU_GRID_HPP
#define DACE_IPU_GRID_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
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

} // namespace dace_ipu

#endif // DACE_IPU_GRID_HPP
