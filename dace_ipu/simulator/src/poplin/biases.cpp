#include <poplin/Convolution.hpp>

#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace poplin {

using namespace poplar;
using namespace poplar::program;

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
  if (in.rank() < 2 || biases.rank() != 1 || biases.dim(0) != in.dim(1) || biases.elementType() != in.elementType())
    throw poputil::poplibs_error("addBias '" + dc.getPathName() + "': activations " + in.elementType().toString() +
                                 in.shapeToString() + " and biases " + biases.elementType().toString() +
                                 biases.shapeToString() + " do not fit");
  // Channels last, where the biases broadcast.
  popops::addInPlace(graph, in.dimRoll(1, in.rank() - 1), biases, prog, {dc, "addBias"});
}

} // namespace poplin
