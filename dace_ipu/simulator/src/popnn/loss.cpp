#include <popnn/Loss.hpp>

#include "rows.hpp"

#include <popops/Cast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using namespace poplar;
using namespace poplar::program;
using internal::RowUnits;

namespace {

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("loss" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

std::string described(const Tensor &t) { return t.elementType().toString() + t.shapeToString(); }

void checkMatrix(const DebugContext &dc, const Tensor &t) {
  if (t.rank() != 2)
    fail(dc, described(t) + " is no matrix of [batch, classes]");
}

// Labels as unsigned numbers.
Tensor labelsOf(const DebugContext &dc, const Tensor &expected, const Tensor &outputs) {
  if (expected.rank() != 1 || expected.dim(0) != outputs.dim(0))
    fail(dc, "labels " + described(expected) + " do not fit the outputs " + described(outputs));
  if (expected.elementType() == UNSIGNED_INT)
    return expected;
  if (expected.elementType() == INT)
    return expected.reinterpret(UNSIGNED_INT);
  fail(dc, "labels are int or unsigned int, not " + expected.elementType().toString());
}

void checkLoss(const DebugContext &dc, const Tensor &outputs, const Tensor &loss, const Tensor &deltas) {
  checkMatrix(dc, outputs);
  if (outputs.elementType() != FLOAT && outputs.elementType() != HALF)
    fail(dc, "the type " + outputs.elementType().toString() + " is not supported yet; there are float and half");
  if (deltas.shape() != outputs.shape() || deltas.elementType() != outputs.elementType())
    fail(dc, "gradients " + described(deltas) + " do not fit the outputs " + described(outputs));
  if (loss.rank() != 1 || loss.dim(0) != outputs.dim(0) || loss.elementType() != outputs.elementType())
    fail(dc, "losses " + described(loss) + " do not fit the outputs " + described(outputs));
}

Tensor one(Graph &graph, const DebugContext &dc) {
  const Tensor t = graph.addConstant(FLOAT, {}, 1.0f, {dc, "one"});
  graph.setTileMapping(t, 0);
  return t;
}

Tensor scaleOf(Graph &graph, const Tensor &t, Sequence &prog, const DebugContext &dc) {
  if (t.numElements() != 1 || (t.elementType() != FLOAT && t.elementType() != HALF))
    fail(dc, "a scale must be one element of type float or half, not " + described(t));
  return t.elementType() == FLOAT ? t.reshape({}) : popops::cast(graph, t.reshape({}), FLOAT, prog, {dc, "scale"});
}

void addLoss(Graph &graph, const Tensor &outputs, const Tensor &labels, const Tensor &loss, const Tensor &deltas,
             const Tensor &deltasScale, const Tensor &outputScale, LossType type, Sequence &prog,
             const DebugContext &dc) {
  const RowUnits units(graph, outputs.dim(0), outputs.dim(1));
  const Tensor parts = units.createStatistics(graph, FLOAT, 1, {dc, "parts"});
  const ComputeSet rows = graph.addComputeSet({dc, "Loss"}), sums = graph.addComputeSet({dc, "LossSum"});
  units.addVertices(graph, rows, poputil::templateVertex("popnn::LossRows", outputs.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(outputs, unit));
                      graph.connect(v["labels"], labels.slice(units.rowsOf(unit)));
                      graph.connect(v["deltas"], units.of(deltas, unit));
                      graph.connect(v["statistics"], units.ownStatistics(parts, unit));
                      graph.connect(v["deltaScale"], deltasScale);
                      graph.connect(v["outputScale"], outputScale);
                      graph.setInitialValue(v["first"], units.columnsOf(unit).begin());
                      graph.setInitialValue(v["crossEntropy"], type == CROSS_ENTROPY_LOSS);
                    });
  const RowUnits all(graph, units.rows, units.segments, true);
  all.addVertices(graph, sums, poputil::templateVertex("popnn::LossOfSegments", outputs.elementType()),
                  [&](const VertexRef &v, std::size_t unit) {
                    graph.connect(v["statistics"], all.of(parts.flatten(1, 3), unit));
                    graph.connect(v["loss"], loss.slice(all.rowsOf(unit)));
                  });
  prog.add(Execute(rows, {dc, "Loss"}));
  prog.add(Execute(sums, {dc, "LossSum"}));
}

void addCount(Graph &graph, const Tensor &outputs, const Tensor &labels, const Tensor &numCorrect, Sequence &prog,
              const DebugContext &dc) {
  if (numCorrect.numElements() != 1 || numCorrect.elementType() != UNSIGNED_INT)
    fail(dc, "the number of correct rows must be one element of type unsigned int, not " + described(numCorrect));
  const Tensor best = argMax(graph, outputs, prog, dc);
  const ComputeSet cs = graph.addComputeSet({dc, "Count"});
  const VertexRef v = graph.addVertex(
      cs, "popnn::CountEqual", {{"a", best}, {"b", labels}, {"count", numCorrect.reshape({})}});
  graph.setTileMapping(v, 0);
  prog.add(Execute(cs, {dc, "Count"}));
}

// A result of one element a row, whose unit has it on its tile.
Tensor createColumn(Graph &graph, const RowUnits &whole, const Type &type, std::size_t width, const DebugContext &dc) {
  return whole.createStatistics(graph, type, width, dc).flatten(1, 3);
}

std::pair<Tensor, Tensor> argExtreme(Graph &graph, const Tensor &in, bool largest, Sequence &prog,
                                     const DebugContext &dc) {
  checkMatrix(dc, in);
  if (in.dim(1) == 0)
    fail(dc, described(in) + " has no largest element in a row");
  const RowUnits units(graph, in.dim(0), in.dim(1));
  const Tensor values = units.createStatistics(graph, in.elementType(), 1, {dc, "values"});
  const Tensor places = units.createStatistics(graph, UNSIGNED_INT, 1, {dc, "places"});
  const ComputeSet first = graph.addComputeSet({dc, "ArgExtreme"});
  units.addVertices(graph, first, poputil::templateVertex("popnn::ArgExtreme", in.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(in, unit));
                      graph.connect(v["value"], units.ownStatistics(values, unit));
                      graph.connect(v["index"], units.ownStatistics(places, unit));
                      graph.setInitialValue(v["first"], units.columnsOf(unit).begin());
                      graph.setInitialValue(v["largest"], largest);
                    });
  prog.add(Execute(first, {dc, "ArgExtreme"}));
  if (units.segments == 1)
    return {values.flatten(), places.flatten()};

  const RowUnits whole(graph, units.rows, units.segments, true);
  const Tensor value = createColumn(graph, whole, in.elementType(), 1, {dc, "value"});
  const Tensor place = createColumn(graph, whole, UNSIGNED_INT, 1, {dc, "place"});
  const ComputeSet second = graph.addComputeSet({dc, "ArgExtremeOfSegments"});
  whole.addVertices(graph, second, poputil::templateVertex("popnn::ArgExtremeOfSegments", in.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["values"], whole.of(values.flatten(1, 3), unit));
                      graph.connect(v["indices"], whole.of(places.flatten(1, 3), unit));
                      graph.connect(v["value"], whole.statisticsOf(value, unit));
                      graph.connect(v["index"], whole.statisticsOf(place, unit));
                      graph.setInitialValue(v["largest"], largest);
                    });
  prog.add(Execute(second, {dc, "ArgExtremeOfSegments"}));
  return {value.flatten(), place.flatten()};
}

} // namespace

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale, const Tensor &modelOutputScaling, LossType lossType,
                 const DebugContext &dc) {
  checkLoss(dc, modelOutputs, loss, deltas);
  Sequence prog;
  const Tensor ofDeltas = scaleOf(graph, deltasScale, prog, dc);
  const Tensor ofOutputs = scaleOf(graph, modelOutputScaling, prog, dc);
  addLoss(graph, modelOutputs, labelsOf(dc, expected, modelOutputs), loss, deltas, ofDeltas, ofOutputs, lossType, prog,
          dc);
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, LossType lossType, const DebugContext &dc) {
  const Tensor scale = one(graph, dc);
  return calcLoss(graph, modelOutputs, expected, loss, deltas, scale, scale, lossType, dc);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale, const Tensor &modelOutputScaling,
                 const Tensor &numCorrect, LossType lossType, const DebugContext &dc) {
  Sequence prog;
  prog.add(calcLoss(graph, modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, lossType, dc));
  addCount(graph, modelOutputs, labelsOf(dc, expected, modelOutputs), numCorrect, prog, dc);
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &numCorrect, LossType lossType, const DebugContext &dc) {
  const Tensor scale = one(graph, dc);
  return calcLoss(graph, modelOutputs, expected, loss, deltas, scale, scale, numCorrect, lossType, dc);
}

Program calcAccuracy(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &numCorrect,
                     const DebugContext &dc) {
  checkMatrix(dc, modelOutputs);
  Sequence prog;
  addCount(graph, modelOutputs, labelsOf(dc, expected, modelOutputs), numCorrect, prog, dc);
  return prog;
}

std::pair<Tensor, Tensor> maxAndArgMax(Graph &graph, const Tensor &input, Sequence &prog, const DebugContext &dc) {
  return argExtreme(graph, input, true, prog, dc);
}

std::pair<Tensor, Tensor> minAndArgMin(Graph &graph, const Tensor &input, Sequence &prog, const DebugContext &dc) {
  return argExtreme(graph, input, false, prog, dc);
}

Tensor argMax(Graph &graph, const Tensor &input, Sequence &prog, const DebugContext &dc) {
  return maxAndArgMax(graph, input, prog, dc).second;
}

Tensor argMin(Graph &graph, const Tensor &input, Sequence &prog, const DebugContext &dc) {
  return minAndArgMin(graph, input, prog, dc).second;
}

Tensor topK(Graph &graph, const Tensor &input, Tensor &indices, unsigned K, bool, Sequence &prog,
            const DebugContext &dc) {
  checkMatrix(dc, input);
  if (K > input.dim(1))
    fail(dc, "a row of " + described(input) + " has no " + std::to_string(K) + " elements");
  const RowUnits units(graph, input.dim(0), input.dim(1), true);
  const Tensor values = createColumn(graph, units, input.elementType(), K, {dc, "values"});
  indices = createColumn(graph, units, UNSIGNED_INT, K, {dc, "indices"});
  const ComputeSet cs = graph.addComputeSet({dc, "TopK"});
  units.addVertices(graph, cs, poputil::templateVertex("popnn::RowTopK", input.elementType()),
                    [&](const VertexRef &v, std::size_t unit) {
                      graph.connect(v["in"], units.of(input, unit));
                      graph.connect(v["value"], units.statisticsOf(values, unit));
                      graph.connect(v["index"], units.statisticsOf(indices, unit));
                      graph.setInitialValue(v["k"], K);
                    });
  prog.add(Execute(cs, {dc, "TopK"}));
  return values;
}

} // namespace popnn
