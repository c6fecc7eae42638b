#include "softmax.hpp"

#include "rows.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using namespace poplar;
using namespace poplar::program;

namespace internal {

namespace {

// The largest element and the sum of exponentials of every segment; then every segment by those of its row.
Tensor normalised(Graph &graph, const Tensor &t, float scale, bool logarithm, Sequence &prog, const DebugContext &dc) {
  const Tensor in = asRows(t), result = graph.clone(t, {dc, "out"}), out = asRows(result);
  const RowUnits units(graph, in.dim(0), in.dim(1));
  const Tensor statistics = units.createStatistics(graph, FLOAT, 2, {dc, "statistics"});
  const ComputeSet sums = graph.addComputeSet({dc, "Sums"}), values = graph.addComputeSet({dc, "Softmax"});
  units.addVertices(graph, sums, poputil::templateVertex("popnn::SoftmaxSums", t.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["statistics"], units.ownStatistics(statistics, unit));
                    });
  units.addVertices(graph, values, poputil::templateVertex("popnn::Softmax", t.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["out"], units.of(out, unit));
                      graph.connect(v["statistics"], units.statisticsOf(statistics, unit));
                      graph.setInitialValue(v["segments"], units.segments);
                      graph.setInitialValue(v["scale"], scale);
                      graph.setInitialValue(v["logarithm"], logarithm);
                    });
  prog.add(Execute(sums, {dc, "Sums"}));
  prog.add(Execute(values, {dc, "Softmax"}));
  return result;
}

} // namespace

Tensor softmax(Graph &graph, NonLinearityType type, const Tensor &t, Sequence &prog, const DebugContext &dc) {
  const float scale = type == NonLinearityType::SOFTMAX_SCALED ? SOFTMAX_SCALING : 1.0f;
  return normalised(graph, t, scale, false, prog, dc);
}

Tensor logSoftmax(Graph &graph, const Tensor &t, Sequence &prog, const DebugContext &dc) {
  return normalised(graph, t, 1, true, prog, dc);
}

Tensor softmaxInputGradient(Graph &graph, const Tensor &act, const Tensor &outGradient, Sequence &prog,
                            const DebugContext &dc) {
  const Tensor value = asRows(act), gradient = asRows(outGradient);
  const Tensor result = graph.clone(act, {dc, "inGradient"}), out = asRows(result);
  const RowUnits units(graph, value.dim(0), value.dim(1));
  const Tensor statistics = units.createStatistics(graph, FLOAT, 1, {dc, "statistics"});
  const ComputeSet sums = graph.addComputeSet({dc, "Sums"}), values = graph.addComputeSet({dc, "SoftmaxGrad"});
  units.addVertices(graph, sums, poputil::templateVertex("popnn::SoftmaxGradSums", act.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["value"], units.of(value, unit));
                      graph.connect(v["gradient"], units.of(gradient, unit));
                      graph.connect(v["statistics"], units.ownStatistics(statistics, unit));
                    });
  units.addVertices(graph, values, poputil::templateVertex("popnn::SoftmaxGrad", act.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["value"], units.of(value, unit));
                      graph.connect(v["gradient"], units.of(gradient, unit));
                      graph.connect(v["out"], units.of(out, unit));
                      graph.connect(v["statistics"], units.statisticsOf(statistics, unit));
                      graph.setInitialValue(v["segments"], units.segments);
                    });
  prog.add(Execute(sums, {dc, "Sums"}));
  prog.add(Execute(values, {dc, "SoftmaxGrad"}));
  return result;
}

} // namespace internal

Tensor logSoftmax(Graph &graph, Tensor t, Sequence &prog, const DebugContext &dc) {
  if (t.rank() == 0 || (t.elementType() != FLOAT && t.elementType() != HALF))
    throw poputil::poplibs_error("logSoftmax '" + dc.getPathName() + "': " + t.elementType().toString() +
                                 t.shapeToString() + " is no float or half tensor with a dimension");
  return internal::logSoftmax(graph, t, prog, dc);
}

void logSoftmaxInPlace(Graph &graph, Tensor t, Sequence &prog, const DebugContext &dc) {
  prog.add(Copy(logSoftmax(graph, t, prog, dc), t, false, {dc, "inPlace"}));
}

} // namespace popnn
