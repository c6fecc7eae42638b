#include <poplin/experimental/QRFactorization.hpp>

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace poplin::experimental {

using namespace poplar;
using namespace poplar::program;

namespace {

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  throw poputil::poplibs_error("QRFactorization '" + dc.getPathName() + "': " + what);
}

void check(const DebugContext &dc, const Tensor &a, const Tensor &q) {
  const std::string shapes =
      a.elementType().toString() + a.shapeToString() + " and " + q.elementType().toString() + q.shapeToString();
  if (a.rank() != 2 || q.rank() != 2 || a.dim(0) < a.dim(1) || q.dim(0) != a.dim(0) || q.dim(1) != a.dim(0))
    fail(dc, "A and Q are " + shapes + "; they must be [m, n] with m >= n, and [m, m]");
  if (a.elementType() != q.elementType() || (a.elementType() != FLOAT && a.elementType() != HALF))
    fail(dc, "A and Q are " + shapes + "; they must both be float or both be half");
}

// Whole rows on each tile.
Tensor createRows(Graph &graph, const Type &type, std::size_t rows, std::size_t columns, const DebugContext &dc) {
  const Tensor t = graph.addVariable(type, {rows, columns}, dc);
  poputil::mapTensorLinearly(graph, t, 0, static_cast<unsigned>(std::max<std::size_t>(1, columns)));
  return t;
}

class Reflections {
public:
  Reflections(Graph &graph, const Tensor &a, const Tensor &q, const DebugContext &dc)
      : graph_(graph), a_(a), q_(q), dc_(dc), rows_(graph.addVariable(UNSIGNED_INT, {a.dim(0)}, {dc, "rows"})) {
    poputil::mapTensorLinearly(graph, rows_);
  }

  void addTo(Sequence &prog) {
    popops::iota(graph_, rows_, 0u, prog, {dc_, "rows"});
    const auto body = [this](const Tensor &column) {
      Sequence step;
      reflect(column, step);
      return step;
    };
    prog.add(popops::countedLoop(graph_, a_.dim(1), body, {dc_, "columns"}));
  }

private:
  Graph &graph_;
  const Tensor a_, q_;
  const DebugContext dc_;
  const Tensor rows_;

  Tensor sum(const Tensor &t, std::size_t dim, Sequence &prog) {
    return popops::reduce(graph_, t, {dim}, {popops::Operation::ADD}, prog, {dc_, "sum"});
  }

  // v, and 2 / v'v, or nothing to do if the column is zero already.
  std::pair<Tensor, Tensor> reflector(const Tensor &column, Sequence &prog) {
    using namespace popops::expr;
    const Tensor x = popops::dynamicSlice(graph_, a_, column, {1}, {1}, prog, {dc_, "column"}).flatten();
    const Tensor v = popops::map(graph_, Select(_1, Const(0.0f), _2 >= _3), {x, rows_, column}, prog, {dc_, "below"});
    const Tensor diagonal =
        popops::map(graph_, Select(_1, Const(0.0f), _2 == _3), {x, rows_, column}, prog, {dc_, "diagonal"});
    const Tensor norm = sum(popops::square(graph_, v, prog, {dc_, "squares"}), 0, prog);
    popops::sqrtInPlace(graph_, norm, prog, {dc_, "norm"});
    const Tensor pivot = sum(diagonal, 0, prog);
    // The sign that adds up, so that nothing cancels.
    popops::mapInPlace(graph_, Select(_1 + Select(_4, -_4, _5 >= 0.0f), _1, _2 == _3), {v, rows_, column, norm, pivot},
                       prog, {dc_, "v"});
    const Tensor length = sum(popops::square(graph_, v, prog, {dc_, "squares"}), 0, prog);
    const Tensor factor = popops::map(graph_, Select(2.0f / _1, Const(0.0f), _1 > 0.0f), {length}, prog, {dc_, "beta"});
    return {v, factor};
  }

  // A -= beta v (v'A) and Q -= beta (Q v) v'.
  void reflect(const Tensor &column, Sequence &prog) {
    using namespace popops::expr;
    const auto [v, factor] = reflector(column, prog);
    const Tensor down = v.expand({1}), along = v.expand({0});
    const Tensor va = sum(popops::mul(graph_, a_, down, prog, {dc_, "vA"}), 0, prog).expand({0});
    popops::mapInPlace(graph_, _1 - _2 * _3 * _4, {a_, down, va, factor}, prog, {dc_, "A"});
    const Tensor qv = sum(popops::mul(graph_, q_, along, prog, {dc_, "Qv"}), 1, prog).expand({1});
    popops::mapInPlace(graph_, _1 - _2 * _3 * _4, {q_, qv, along, factor}, prog, {dc_, "Q"});
  }
};

void checkOptions(const OptionFlags &options) {
  unsigned ignored = 0;
  poplibs::OptionSpec({{"rowsPerIteration", poplibs::OptionHandler::createWithInteger(ignored)}}).parse(options);
}

} // namespace

std::array<Tensor, 2> createQRFactorizationMatrices(Graph &graph, const Type &type, const std::size_t m,
                                                    const std::size_t n, const DebugContext &debugContext) {
  return {createRows(graph, type, m, n, {debugContext, "A"}), createRows(graph, type, m, m, {debugContext, "Q"})};
}

void QRFactorization(Graph &graph, Tensor &A, Tensor &Q, Sequence &prog, const DebugContext &debugContext,
                     const OptionFlags &options) {
  const DebugContext dc(debugContext, "QRFactorization");
  check(dc, A, Q);
  checkOptions(options);
  if (A.dim(1) == 0)
    return;
  if (A.elementType() == FLOAT)
    return Reflections(graph, A, Q, dc).addTo(prog);
  const Tensor a = popops::cast(graph, A, FLOAT, prog, {dc, "A"}), q = popops::cast(graph, Q, FLOAT, prog, {dc, "Q"});
  Reflections(graph, a, q, dc).addTo(prog);
  prog.add(popops::cast(graph, a, A, {dc, "A"}));
  prog.add(popops::cast(graph, q, Q, {dc, "Q"}));
}

} // namespace poplin::experimental
