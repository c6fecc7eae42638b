#include <popnn/NonLinearity.hpp>

#include "softmax.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using namespace poplar;
using namespace poplar::program;

namespace {

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("non-linearity" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

void check(const DebugContext &dc, NonLinearityType type, const Tensor &t) {
  if (t.elementType() != FLOAT && t.elementType() != HALF)
    fail(dc, "the type " + t.elementType().toString() + " is not supported yet; there are float and half");
  if (isSoftmax(type) && t.rank() == 0)
    fail(dc, "a softmax needs a dimension to sum over");
}

void checkWriteable(const DebugContext &dc, const Tensor &t) {
  if (!t.isParallelWriteable())
    fail(dc, "in place, the tensor must not contain constants or aliased elements");
}

void checkSingle(const DebugContext &dc, NonLinearityType type) {
  if (isSoftmax(type))
    fail(dc, "a softmax takes several compute sets: give it a Sequence");
}

void checkEmptyOptions(const OptionFlags &options) {
  for (const auto &option : options)
    if (option.first != "softmaxOptimizeForSpeed")
      throw invalid_option("'" + option.first + "' is no option of non-linearities");
}

// One vertex a tile, with an edge for each contiguous piece of the first tensor that the tile holds.
void addVertices(Graph &graph, ComputeSet cs, const char *vertex, NonLinearityType type,
                 const std::vector<std::pair<const char *, Tensor>> &fields) {
  const Tensor &first = fields.front().second;
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(first);
  const std::string name = poputil::templateVertex(vertex, first.elementType());
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const auto regions = graph.getSortedContiguousRegions(first, mapping[tile]);
    const VertexRef v = graph.addVertex(cs, name);
    for (const auto &field : fields) {
      std::vector<Tensor> rows;
      for (const std::vector<Interval> &region : regions)
        rows.push_back(concat(field.second.slices(region)));
      graph.connect(v[field.first], rows);
    }
    graph.setInitialValue(v["kind"], static_cast<unsigned>(type));
    graph.setTileMapping(v, tile);
  }
}

} // namespace

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, ComputeSet &cs, const DebugContext &dc,
                         const OptionFlags &options) {
  check(dc, type, t);
  checkEmptyOptions(options);
  checkSingle(dc, type);
  checkWriteable(dc, t);
  Tensor flat = t.flatten();
  graph.reorderToSimplify(&flat, {}, false);
  addVertices(graph, cs, "popnn::NonLinearityInPlace", type, {{"data", flat}});
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, Sequence &prog, const DebugContext &dc,
                         const OptionFlags &options) {
  check(dc, type, t);
  checkEmptyOptions(options);
  checkWriteable(dc, t);
  if (isSoftmax(type)) {
    prog.add(Copy(internal::softmax(graph, type, t, prog, dc), t, false, {dc, "inPlace"}));
    return;
  }
  ComputeSet cs = graph.addComputeSet({dc, "NonLinearity"});
  nonLinearityInPlace(graph, type, t, cs, dc, options);
  prog.add(Execute(cs, {dc, "NonLinearity"}));
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, float &nonLinearityScaling, Sequence &prog,
                         const DebugContext &dc, const OptionFlags &options) {
  nonLinearityScaling = type == NonLinearityType::SOFTMAX_SCALED ? SOFTMAX_SCALING : 1.0f;
  nonLinearityInPlace(graph, type, t, prog, dc, options);
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, Tensor t, Sequence &prog, const DebugContext &dc,
                    const OptionFlags &options) {
  check(dc, type, t);
  checkEmptyOptions(options);
  if (isSoftmax(type))
    return internal::softmax(graph, type, t, prog, dc);
  const Tensor out = graph.clone(t, {dc, "out"});
  Tensor from = t.flatten(), to = out.flatten();
  graph.reorderToSimplify(&from, {&to}, false);
  const ComputeSet cs = graph.addComputeSet({dc, "NonLinearity"});
  addVertices(graph, cs, "popnn::NonLinearity", type, {{"data", from}, {"out", to}});
  prog.add(Execute(cs, {dc, "NonLinearity"}));
  return out;
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, Tensor t, float &nonLinearityScaling, Sequence &prog,
                    const DebugContext &dc, const OptionFlags &options) {
  nonLinearityScaling = type == NonLinearityType::SOFTMAX_SCALED ? SOFTMAX_SCALING : 1.0f;
  return nonLinearity(graph, type, t, prog, dc, options);
}

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type, Tensor act, Tensor outGradient, ComputeSet &cs,
                                 const DebugContext &dc, const OptionFlags &options) {
  check(dc, type, act);
  checkEmptyOptions(options);
  checkSingle(dc, type);
  if (act.shape() != outGradient.shape() || act.elementType() != outGradient.elementType())
    fail(dc, "activations " + act.elementType().toString() + act.shapeToString() + " and gradient " +
                 outGradient.elementType().toString() + outGradient.shapeToString() + " differ");
  const Tensor inGradient = graph.clone(act, {dc, "inGradient"});
  Tensor a = act.flatten(), out = outGradient.flatten(), in = inGradient.flatten();
  graph.reorderToSimplify(&a, {&out, &in}, false);
  addVertices(graph, cs, "popnn::NonLinearityGrad", type, {{"data", a}, {"outGrad", out}, {"inGrad", in}});
  return inGradient;
}

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type, Tensor act, Tensor outGradient, Sequence &prog,
                                 const DebugContext &dc, const OptionFlags &options) {
  if (isSoftmax(type)) {
    check(dc, type, act);
    checkEmptyOptions(options);
    if (act.shape() != outGradient.shape() || act.elementType() != outGradient.elementType())
      fail(dc, "activations and gradient differ in shape or type");
    return internal::softmaxInputGradient(graph, act, outGradient, prog, dc);
  }
  ComputeSet cs = graph.addComputeSet({dc, "NonLinearityGrad"});
  const Tensor result = nonLinearityInputGradient(graph, type, act, outGradient, cs, dc, options);
  prog.add(Execute(cs, {dc, "NonLinearityGrad"}));
  return result;
}

} // namespace popnn
