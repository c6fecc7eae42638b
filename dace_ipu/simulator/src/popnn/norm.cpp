#include "norm.hpp"

#include "rows.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popnn::internal {

using namespace poplar;
using namespace poplar::program;

namespace {

[[noreturn]] void fail(const std::string &name, const DebugContext &dc, const std::string &what) {
  throw poputil::poplibs_error(name + " '" + dc.getPathName() + "': " + what);
}

void check(const std::string &name, const DebugContext &dc, const Tensor &acts, const NormShape &shape) {
  if (acts.rank() < 2 || (acts.elementType() != FLOAT && acts.elementType() != HALF))
    fail(name, dc, acts.elementType().toString() + acts.shapeToString() +
                       " is no float or half tensor of [batch, channels, field...]");
  if (shape.groups > 0 && acts.dim(1) % shape.groups != 0)
    fail(name, dc, std::to_string(acts.dim(1)) + " channels cannot be in " + std::to_string(shape.groups) + " groups");
}

// [batch, channels, field].
Tensor flatField(const Tensor &acts) {
  return acts.rank() == 2 ? acts.expand({2}) : acts.flatten(2, acts.rank());
}

} // namespace

Tensor NormShape::parts(const Tensor &acts) const {
  const Tensor t = flatField(acts);
  if (groups == 0)
    return t.dimShuffle({1, 0, 2});
  const std::size_t each = t.dim(1) / groups;
  const Tensor grouped = strided ? t.reshapePartial(1, 2, {each, groups}).dimShuffle({0, 2, 1, 3})
                                 : t.reshapePartial(1, 2, {groups, each});
  return grouped.flatten(0, 2);
}

Tensor NormShape::rows(const Tensor &acts) const { return parts(acts).flatten(1, 3); }

std::pair<Tensor, Tensor> normStatistics(Graph &graph, const Tensor &acts, const NormShape &shape,
                                         const NormOptions &options, Sequence &prog, const DebugContext &dc) {
  check(options.name, dc, acts, shape);
  const Tensor in = shape.rows(acts);
  const Type type = acts.elementType();
  const RowUnits units(graph, in.dim(0), in.dim(1)), whole(graph, units.rows, units.segments, true);
  const Tensor sums = units.createStatistics(graph, FLOAT, 1, {dc, "sums"});
  const Tensor squares = units.createStatistics(graph, FLOAT, 1, {dc, "squares"});
  const Tensor mean = whole.createStatistics(graph, type, 1, {dc, "mean"});
  const Tensor invStdDev = whole.createStatistics(graph, type, 1, {dc, "invStdDev"});
  const ComputeSet first = graph.addComputeSet({dc, "Sums"}), second = graph.addComputeSet({dc, "Squares"});
  const ComputeSet third = graph.addComputeSet({dc, "Moments"});
  units.addVertices(graph, first, poputil::templateVertex("popnn::NormSums", type),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["statistics"], units.ownStatistics(sums, unit));
                    });
  units.addVertices(graph, second, poputil::templateVertex("popnn::NormSquares", type),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["sums"], units.statisticsOf(sums, unit));
                      graph.connect(v["statistics"], units.ownStatistics(squares, unit));
                      graph.setInitialValue(v["segments"], units.segments);
                      graph.setInitialValue(v["count"], units.columns);
                    });
  whole.addVertices(graph, third, poputil::templateVertex("popnn::NormMoments", type),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["sums"], whole.of(sums.flatten(1, 3), unit));
                      graph.connect(v["squares"], whole.of(squares.flatten(1, 3), unit));
                      graph.connect(v["mean"], whole.ownStatistics(mean, unit));
                      graph.connect(v["invStdDev"], whole.ownStatistics(invStdDev, unit));
                      graph.setInitialValue(v["count"], units.columns);
                      graph.setInitialValue(v["eps"], options.eps);
                      graph.setInitialValue(v["unbiased"], options.unbiased);
                    });
  for (const ComputeSet &cs : {first, second, third})
    prog.add(Execute(cs, {dc, "statistics"}));
  return {mean.flatten(), invStdDev.flatten()};
}

Tensor normWhiten(Graph &graph, const Tensor &acts, const NormShape &shape, const Tensor &mean, const Tensor &invStdDev,
                  const std::string &name, Sequence &prog, const DebugContext &dc) {
  check(name, dc, acts, shape);
  const Tensor result = graph.clone(acts, {dc, "whitened"});
  const Tensor in = shape.rows(acts), out = shape.rows(result);
  for (const Tensor &t : {mean, invStdDev})
    if (t.rank() != 1 || t.dim(0) != in.dim(0) || t.elementType() != acts.elementType())
      fail(name, dc, "means or deviations " + t.elementType().toString() + t.shapeToString() + ": there are " +
                         std::to_string(in.dim(0)) + " of type " + acts.elementType().toString());
  const RowUnits units(graph, in.dim(0), in.dim(1));
  const ComputeSet cs = graph.addComputeSet({dc, "Whiten"});
  units.addVertices(graph, cs, poputil::templateVertex("popnn::NormWhiten", acts.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["out"], units.of(out, unit));
                      graph.connect(v["mean"], mean.slice(units.rowsOf(unit)));
                      graph.connect(v["invStdDev"], invStdDev.slice(units.rowsOf(unit)));
                    });
  prog.add(Execute(cs, {dc, "Whiten"}));
  return result;
}

Tensor scaleChannels(Graph &graph, const Tensor &t, const Tensor &multiplicand, const Tensor &addend,
                     const std::string &name, Sequence &prog, const DebugContext &dc) {
  check(name, dc, t, {});
  for (const Tensor &x : {multiplicand, addend})
    if (x.rank() != 1 || x.dim(0) != t.dim(1) || x.elementType() != t.elementType())
      fail(name, dc, "factors or summands " + x.elementType().toString() + x.shapeToString() + " for " +
                         std::to_string(t.dim(1)) + " channels of type " + t.elementType().toString());
  const unsigned last = t.rank() - 1;
  const Tensor scaled = popops::mul(graph, t.dimRoll(1, last), multiplicand, prog, {dc, "scale"});
  popops::addInPlace(graph, scaled, addend, prog, {dc, "shift"});
  return scaled.dimRoll(last, 1);
}

} // namespace popnn::internal
