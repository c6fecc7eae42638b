#include "row_sums.hpp"

#include <dace_ipu/blocks.hpp>
#include <dace_ipu/rows.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace dace_ipu {

namespace {

using poplar::Tensor;

const char *const codelet = R"(#include <poplar/Vertex.hpp>

namespace dace_ipu {

// sums[k] is the sum of the elements k of all rows. A worker takes one after the other.
class SumRows : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>>> rows;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> sums;
  unsigned numRows, length;

  bool compute(unsigned worker) {
    const unsigned count = numRows;
    for (unsigned k = worker; k < length; k += numWorkers()) {
      float sum = 0.0f;
      for (unsigned i = 0; i < count; ++i)
        sum += rows[i][k];
      sums[k] = sum;
    }
    return true;
  }
};

} // namespace dace_ipu
)";

void addCodeletOnce(poplar::Graph &graph) {
  if (graph.hasCodelet("dace_ipu::SumRows"))
    return;
  std::stringstream source(codelet);
  graph.addCodelets(source, "-O3");
}

Blocks columnsOf(const poplar::Graph &graph, const Tensor &matrix) {
  return Blocks({static_cast<std::int64_t>(matrix.dim(1))}, graph.getTarget().getNumTiles());
}

/// target = the sum of the rows of a matrix: a few columns on each tile, one for each worker.
void sumRowsAtOnce(poplar::Graph &graph, poplar::program::Sequence &sequence, const Tensor &matrix,
                   const Tensor &target, const std::string &name) {
  const poplar::ComputeSet computeSet = graph.addComputeSet(name);
  for (const Block &block : columnsOf(graph, matrix)) {
    const poplar::Interval columns(block.begin(0), block.end(0));
    const Tensor part = matrix.slice(columns, 1);
    const poplar::VertexRef vertex = graph.addVertex(computeSet, "dace_ipu::SumRows");
    graph.setTileMapping(vertex, block.tile());
    graph.connect(vertex["rows"], rows(part));
    graph.connect(vertex["sums"], target.slice(columns));
    graph.setInitialValue(vertex["numRows"], static_cast<unsigned>(part.dim(0)));
    graph.setInitialValue(vertex["length"], static_cast<unsigned>(part.dim(1)));
    graph.setPerfEstimate(vertex, 60 + 4 * part.numElements());
  }
  sequence.add(poplar::program::Execute(computeSet));
}

/// In how many groups of rows it is faster to sum up a matrix, each group by workers of its own, and then the groups;
/// 1 for none. A worker takes 3 to 4 slots a row, about 20 cycles; another compute set with its exchange takes about 400.
std::size_t groupsOfRows(const poplar::Graph &graph, const Tensor &matrix) {
  const std::size_t rows = matrix.dim(0), workers = graph.getTarget().getNumWorkerContexts();
  const std::size_t most = workers * graph.getTarget().getNumTiles() / std::max<std::size_t>(matrix.dim(1), 1);
  const std::size_t rowsOfASet = 400 / 20;
  std::size_t best = 1, turns = rows;
  for (std::size_t groups = 2; groups <= std::min(most, rows / 2); ++groups) {
    const std::size_t both = rows / groups + groups + rows % groups + rowsOfASet;
    if (both < turns) {
      best = groups;
      turns = both;
    }
  }
  return best;
}

} // namespace

void sumRows(poplar::Graph &graph, poplar::program::Sequence &sequence, const Tensor &matrix, const Tensor &target,
             const std::string &name) {
  addCodeletOnce(graph);
  const std::size_t groups = groupsOfRows(graph, matrix), columns = matrix.dim(1);
  if (groups == 1)
    return sumRowsAtOnce(graph, sequence, matrix, target, name);
  const std::size_t inGroups = matrix.dim(0) / groups * groups;
  const Tensor wide = matrix.slice(0, inGroups).reshape({inGroups / groups, groups * columns});
  const Tensor sums = graph.addVariable(matrix.elementType(), {groups * columns}, name + "/sums");
  for (const Block &block : columnsOf(graph, wide))
    graph.setTileMapping(sums.slice(block.begin(0), block.end(0)), block.tile());
  sumRowsAtOnce(graph, sequence, wide, sums, name + "/groups");
  sumRowsAtOnce(graph, sequence, poplar::concat(sums.reshape({groups, columns}), matrix.slice(inGroups, matrix.dim(0))),
                target, name);
}

} // namespace dace_ipu
