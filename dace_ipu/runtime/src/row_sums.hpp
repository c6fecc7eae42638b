// Sums over the rows of a matrix.
#ifndef DACE_IPU_ROW_SUMS_HPP
#define DACE_IPU_ROW_SUMS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

namespace dace_ipu {

/// target = the sum of the rows of a matrix, both FLOAT: in one compute set, or where there are many rows and few columns
/// first in groups of rows.
void sumRows(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &matrix,
             const poplar::Tensor &target, const std::string &name);

} // namespace dace_ipu

#endif // DACE_IPU_ROW_SUMS_HPP
