#include <poplin/Convolution.hpp>

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace poplin {

using namespace poplar;
using namespace poplar::program;

namespace {

void check(const char *name, const DebugContext &dc, const Tensor &acts, const Tensor &biases) {
  if (acts.rank() < 2 || biases.rank() != 1 || biases.dim(0) != acts.dim(1) ||
      biases.elementType() != acts.elementType())
    throw poputil::poplibs_error(std::string(name) + " '" + dc.getPathName() + "': activations " +
                                 acts.elementType().toString() + acts.shapeToString() + " and biases " +
                                 biases.elementType().toString() + biases.shapeToString() + " do not fit");
}

} // namespace

Tensor createBiases(Graph &graph, const Tensor &activations, const DebugContext &dc, const OptionFlags &,
                    PlanningCache *) {
  if (activations.rank() < 2)
    throw poputil::poplibs_error("createBiases '" + dc.getPathName() + "': activations " + activations.shapeToString() +
                                 " have no channels");
  const Tensor t = graph.addVariable(activations.elementType(), {activations.dim(1)}, dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor createBiases(Graph &graph, const Tensor &activations, const ConvParams &, const DebugContext &dc,
                    const OptionFlags &options, PlanningCache *cache) {
  return createBiases(graph, activations, dc, options, cache);
}

void addBias(Graph &graph, const Tensor &in, const Tensor &biases, Sequence &prog, const DebugContext &dc,
             const OptionFlags &) {
  check("addBias", dc, in, biases);
  // Channels last, where the biases broadcast.
  popops::addInPlace(graph, in.dimRoll(1, in.rank() - 1), biases, prog, {dc, "addBias"});
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases, const Tensor &scale,
                           const OptionFlags &options, Sequence &prog, const DebugContext &dc) {
  check("convolutionBiasUpdate", dc, zDeltas, biases);
  std::vector<std::size_t> others{0};
  for (std::size_t d = 2; d < zDeltas.rank(); ++d)
    others.push_back(d);
  popops::reduceWithOutput(graph, zDeltas, biases, others, {popops::Operation::ADD, true, scale}, prog, dc, options);
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases, float scale,
                           const OptionFlags &options, Sequence &prog, const DebugContext &dc) {
  const Tensor factor = graph.addConstant(FLOAT, {}, scale, {dc, "scale"});
  graph.setTileMapping(factor, 0);
  convolutionBiasUpdate(graph, zDeltas, biases, factor, options, prog, dc);
}

} // namespace poplin
