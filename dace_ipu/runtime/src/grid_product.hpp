// Products of a vector and a matrix that already lies on the tiles in a grid of blocks: it stays where it is, and is
// read along its rows or across them.
#ifndef DACE_IPU_GRID_PRODUCT_HPP
#define DACE_IPU_GRID_PRODUCT_HPP

#include "grid.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

namespace dace_ipu {

/// target = matrix * vector, or vector * matrix if `across` the rows. All are FLOAT; `matrix` has rank 2, the others 1.
void multiplyOnGrid(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &matrix,
                    const Grid &grid, const poplar::Tensor &vector, const poplar::Tensor &target, bool across,
                    const std::string &name);

} // namespace dace_ipu

#endif // DACE_IPU_GRID_PRODUCT_HPP
