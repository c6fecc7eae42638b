#include "grid_product.hpp"

#include "row_sums.hpp"

#include <dace_ipu/rows.hpp>

#include <sstream>

namespace dace_ipu {

namespace {

using poplar::Tensor;

/// They work on pairs of floats, and sum up in registers.
const char *const codelets = R"(#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

namespace dace_ipu {

using Row = poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>;
using Sums = poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>;

inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// sums[i] is the product of row i and the vector. A worker takes one row after the other.
class AlongRows : public poplar::MultiVertex {
public:
  poplar::Vector<Row> rows;
  Row vector;
  Sums sums;
  unsigned numRows, length;

  bool compute(unsigned worker) {
    const float2 *factors = pairs(&vector[0]);
    const unsigned turns = length / 2;
    for (unsigned i = worker; i < numRows; i += numWorkers()) {
      const float2 *row = pairs(&rows[i][0]);
      float2 sum = {0.0f, 0.0f};
      for (unsigned k = 0; k < turns; ++k)
        sum += row[k] * factors[k];
      float total = sum.x + sum.y;
      if (length % 2 != 0)
        total += rows[i][length - 1] * vector[length - 1];
      sums[i] = total;
    }
    return true;
  }
};

// sums[k] is the product of column k and the vector. `groups` are of `width` pairs of columns each; what pairs are left
// and a single last column go to the workers that come next. The machine has no divide, so all that is given.
class AcrossRows : public poplar::MultiVertex {
public:
  poplar::Vector<Row> rows;
  Row vector;
  Sums sums;
  unsigned numRows, length, width, groups, afterGroups, afterPairs;

  bool compute(unsigned worker) {
    for (unsigned group = worker; group < groups; group += numWorkers())
      sumPairs(width * group, width);
    if (worker == afterGroups)
      sumPairs(width * groups, length / 2 - width * groups);
    if (worker == afterPairs && length % 2 != 0)
      sumColumn(length - 1);
    return true;
  }

private:
  float2 *results() { return reinterpret_cast<float2 *>(&sums[0]); }

  void sumPairs(unsigned pair, unsigned count) {
    if (count == 3)
      sumThreePairs(pair);
    else if (count == 2)
      sumTwoPairs(pair);
    else if (count == 1)
      sumOnePair(pair);
  }

  void sumThreePairs(unsigned pair) {
    float2 first = {0.0f, 0.0f}, second = {0.0f, 0.0f}, third = {0.0f, 0.0f};
    const unsigned count = numRows;
    for (unsigned i = 0; i < count; ++i) {
      const float2 *row = pairs(&rows[i][0]) + pair;
      const float factor = vector[i];
      first += row[0] * factor;
      second += row[1] * factor;
      third += row[2] * factor;
    }
    results()[pair] = first;
    results()[pair + 1] = second;
    results()[pair + 2] = third;
  }

  void sumTwoPairs(unsigned pair) {
    float2 first = {0.0f, 0.0f}, second = {0.0f, 0.0f};
    const unsigned count = numRows;
    for (unsigned i = 0; i < count; ++i) {
      const float2 *row = pairs(&rows[i][0]) + pair;
      const float factor = vector[i];
      first += row[0] * factor;
      second += row[1] * factor;
    }
    results()[pair] = first;
    results()[pair + 1] = second;
  }

  void sumOnePair(unsigned pair) {
    float2 sum = {0.0f, 0.0f};
    const unsigned count = numRows;
    for (unsigned i = 0; i < count; ++i)
      sum += pairs(&rows[i][0])[pair] * vector[i];
    results()[pair] = sum;
  }

  void sumColumn(unsigned column) {
    float sum = 0.0f;
    const unsigned count = numRows;
    for (unsigned i = 0; i < count; ++i)
      sum += rows[i][column] * vector[i];
    sums[column] = sum;
  }
};

} // namespace dace_ipu
)";

/// A vertex over the rows of a block.
poplar::VertexRef addVertex(poplar::Graph &graph, poplar::ComputeSet computeSet, const char *codelet,
                            const Tensor &block, const Tensor &sums, unsigned tile) {
  const poplar::VertexRef vertex = graph.addVertex(computeSet, codelet);
  graph.setTileMapping(vertex, tile);
  graph.connect(vertex["rows"], rows(block));
  graph.connect(vertex["sums"], sums);
  graph.setInitialValue(vertex["numRows"], static_cast<unsigned>(block.dim(0)));
  graph.setInitialValue(vertex["length"], static_cast<unsigned>(block.dim(1)));
  graph.setPerfEstimate(vertex, 60 + 2 * block.numElements());
  return vertex;
}

/// How many pairs of columns a worker of AcrossRows takes at a time so that all are done soon. A row takes 3 slots, and 2
/// more for each pair.
unsigned widthFor(std::size_t columns, std::size_t workers) {
  const std::size_t pairs = (columns + 1) / 2;
  const auto slots = [=](std::size_t width) {
    const std::size_t shares = (pairs + width - 1) / width, turns = (shares + workers - 1) / workers;
    return turns * (3 + 2 * width);
  };
  unsigned best = 1;
  for (unsigned width = 2; width <= 3; ++width)
    best = slots(width) < slots(best) ? width : best;
  return best;
}

/// The fields of AcrossRows that say who does what.
void setShares(poplar::Graph &graph, const poplar::VertexRef &vertex, std::size_t columns) {
  const unsigned workers = graph.getTarget().getNumWorkerContexts(), width = widthFor(columns, workers);
  const unsigned groups = static_cast<unsigned>(columns / 2) / width;
  const bool hasRest = columns / 2 != groups * width;
  graph.setInitialValue(vertex["width"], width);
  graph.setInitialValue(vertex["groups"], groups);
  graph.setInitialValue(vertex["afterGroups"], groups % workers);
  graph.setInitialValue(vertex["afterPairs"], (groups + (hasRest ? 1 : 0)) % workers);
}

void addCodeletsOnce(poplar::Graph &graph) {
  if (graph.hasCodelet("dace_ipu::AlongRows"))
    return;
  std::stringstream source(codelets);
  graph.addCodelets(source, "-O3");
}

} // namespace

void multiplyOnGrid(poplar::Graph &graph, poplar::program::Sequence &sequence, const Tensor &matrix, const Grid &grid,
                    const Tensor &vector, const Tensor &target, bool across, const std::string &name) {
  addCodeletsOnce(graph);
  const std::size_t down = grid.rows.size() - 1, beside = grid.columns.size() - 1;
  const Tensor partials =
      graph.addVariable(matrix.elementType(), {across ? down : beside, target.numElements()}, name + "/partials");
  const poplar::ComputeSet computeSet = graph.addComputeSet(name + "/Multiply");
  const char *const codelet = across ? "dace_ipu::AcrossRows" : "dace_ipu::AlongRows";
  for (std::size_t i = 0; i < down; ++i) {
    for (std::size_t j = 0; j < beside; ++j) {
      const poplar::Interval rows(grid.rows[i], grid.rows[i + 1]), columns(grid.columns[j], grid.columns[j + 1]);
      const Tensor sums = partials[across ? i : j].slice(across ? columns : rows);
      const unsigned tile = grid.tiles[i * beside + j];
      graph.setTileMapping(sums, tile);
      const Tensor block = matrix.slice(rows, 0).slice(columns, 1);
      const poplar::VertexRef vertex = addVertex(graph, computeSet, codelet, block, sums, tile);
      graph.connect(vertex["vector"], vector.slice(across ? rows : columns));
      if (across)
        setShares(graph, vertex, block.dim(1));
    }
  }
  sequence.add(poplar::program::Execute(computeSet));
  sumRows(graph, sequence, partials, target, name + "/Reduce");
}

} // namespace dace_ipu
