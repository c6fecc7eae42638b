#include <poplin/TriangularSolve.hpp>

#include "triangular.hpp"

#include <popops/Fill.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace poplin {

using namespace poplar;
using namespace poplar::program;
using Shape = std::vector<std::size_t>;

namespace {

Tensor transposed(const Tensor &t) { return t.dimShuffle({0, 2, 1}); }

Tensor createLinear(Graph &graph, const Type &type, const Shape &shape, const DebugContext &dc) {
  const Tensor t = graph.addVariable(type, shape, dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

// a x = b for lower triangular a [batch, n, n], into x [batch, n, m] which holds b.
class LowerSolver {
public:
  LowerSolver(Graph &graph, const Tensor &a, const Tensor &x, bool unitDiagonal, const OptionFlags &options,
              PlanningCache *cache, Sequence &prog, const DebugContext &dc)
      : graph_(graph), a_(a), x_(x), unitDiagonal_(unitDiagonal), options_(options), cache_(cache), prog_(prog),
        dc_(dc) {}

  void solve(std::size_t blockSize) {
    const std::size_t n = a_.dim(1);
    for (std::size_t begin = 0; begin < n; begin += blockSize)
      step(begin, std::min(n, begin + blockSize));
  }

private:
  void step(std::size_t begin, std::size_t end) {
    const std::size_t n = a_.dim(1);
    const Tensor diagonal = internal::createBlocks(graph_, a_.elementType(), a_.dim(0), end - begin, {dc_, "diagonal"});
    prog_.add(Copy(a_.slice(begin, end, 1).slice(begin, end, 2), diagonal, false, {dc_, "diagonal"}));
    const Tensor inverse = internal::invertBlocks(graph_, diagonal, unitDiagonal_, prog_, dc_);
    const Tensor rows = x_.slice(begin, end, 1);
    const Tensor solved = matMulGrouped(graph_, inverse, rows, prog_, x_.elementType(), {dc_, "solve"}, options_, cache_);
    prog_.add(Copy(solved, rows, false, {dc_, "solved"}));
    if (end < n)
      matMulGroupedAcc(graph_, x_.slice(end, n, 1), -1.0f, a_.slice(end, n, 1).slice(begin, end, 2), solved, prog_,
                       {dc_, "update"}, options_, cache_);
  }

  Graph &graph_;
  const Tensor a_, x_;
  const bool unitDiagonal_;
  const OptionFlags options_;
  PlanningCache *cache_;
  Sequence &prog_;
  const DebugContext dc_;
};

// [batch, rows, columns].
Tensor asMatrices(const DebugContext &dc, const Tensor &a, const Tensor &b, bool leftSide) {
  const unsigned rank = a.rank();
  const Shape sa = a.shape(), sb = b.shape();
  const bool sameBatch = b.rank() == rank && std::equal(sa.begin(), sa.end() - 2, sb.begin());
  if (!sameBatch || sb[rank - (leftSide ? 2 : 1)] != sa[rank - 1] || b.elementType() != a.elementType())
    throw poputil::poplibs_error("triangularSolve '" + dc.getPathName() + "': " + a.elementType().toString() +
                                 a.shapeToString() + " and " + b.elementType().toString() + b.shapeToString() +
                                 " do not fit");
  return rank == 2 ? b.expand({0}) : b.flatten(0, rank - 2);
}

} // namespace

Tensor createTriangularSolveInputLHS(Graph &graph, const Type &inputType, const Type &, const Shape &aShape,
                                     const Shape &, bool, const DebugContext &dc, const OptionFlags &,
                                     PlanningCache *) {
  return createLinear(graph, inputType, aShape, dc);
}

Tensor createTriangularSolveInputRHS(Graph &graph, const Type &inputType, const Type &, const Shape &,
                                     const Shape &bShape, bool, const DebugContext &dc, const OptionFlags &,
                                     PlanningCache *) {
  return createLinear(graph, inputType, bShape, dc);
}

Tensor triangularSolve(Graph &graph, const Tensor &a, const Tensor &b, bool leftSide, bool lower, bool unitDiagonal,
                       Sequence &prog, const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  OptionFlags rest = options;
  const std::size_t blockSize = internal::takeBlockSize(rest);
  Tensor matrix = internal::asSquares("triangularSolve", dc, a);
  Tensor side = asMatrices(dc, a, b, leftSide);
  // x a = b is a^T x^T = b^T; an upper triangle read backwards is a lower one.
  if (!leftSide) {
    matrix = transposed(matrix);
    side = transposed(side);
    lower = !lower;
  }
  if (!lower) {
    matrix = matrix.reverse(1).reverse(2);
    side = side.reverse(1);
  }
  const Tensor x = createLinear(graph, b.elementType(), side.shape(), {dc, "x"});
  prog.add(Copy(side, x, false, {dc, "x"}));
  LowerSolver(graph, matrix, x, unitDiagonal, rest, cache, prog, dc).solve(blockSize);
  const Tensor forwards = lower ? x : x.reverse(1);
  return (leftSide ? forwards : transposed(forwards)).reshape(b.shape());
}

Tensor triangularMask(Graph &graph, const Tensor &a, bool lower, bool unitDiagonal, Sequence &prog,
                      const DebugContext &dc) {
  const Tensor matrix = internal::asSquares("triangularMask", dc, a);
  const Tensor result = graph.clone(a, {dc, "masked"});
  const Tensor out = internal::asSquares("triangularMask", dc, result);
  popops::fill(graph, result, prog, 0, {dc, "zero"});
  std::vector<Tensor> from, to, diagonal;
  for (std::size_t i = 0; i < matrix.dim(1); ++i) {
    const std::size_t begin = lower ? 0 : i + unitDiagonal, end = lower ? i + !unitDiagonal : matrix.dim(2);
    from.push_back(matrix.slice(i, i + 1, 1).slice(begin, end, 2).flatten());
    to.push_back(out.slice(i, i + 1, 1).slice(begin, end, 2).flatten());
    diagonal.push_back(out.slice(i, i + 1, 1).slice(i, i + 1, 2).flatten());
  }
  if (from.empty())
    return result;
  prog.add(Copy(concat(from), concat(to), false, {dc, "triangle"}));
  if (unitDiagonal)
    popops::fill(graph, concat(diagonal), prog, 1, {dc, "diagonal"});
  return result;
}

} // namespace poplin
