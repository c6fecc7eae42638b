// Metadata of quarter tensors.
#include "../core/graph_core.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

namespace {

void checkMetadata(const Type &type, const Tensor &metadata, const std::string &what) {
  if (!type.requiresMetadata() && metadata.valid())
    throw tensor_metadata_error(what + ": type " + type.toString() + " has no metadata");
  if (!type.requiresMetadata())
    return;
  if (!metadata.valid() || metadata.elementType() != QUARTER_METADATA || metadata.numElements() != 1)
    throw tensor_metadata_error(what + ": needs one element of type quarter_metadata" +
                                (metadata.valid() ? ", not " + metadata.getDebugStr() : ""));
}

std::uint8_t binaryOf(QuarterMetadata::Format format, int scale, const char *function) {
  if (scale < -32 || scale > 31)
    throw tensor_metadata_error(std::string(function) + ": scale " + std::to_string(scale) +
                                " does not lie in [-32, 31]");
  return QuarterMetadata(format, scale).getBinary();
}

const dace_ipu_sim::Variable *firstVariable(const Tensor &t) {
  const dace_ipu_sim::Variable *first = nullptr;
  if (t.valid())
    dace_ipu_sim::forEachVariable(*t.view(), [&](const dace_ipu_sim::Variable &v) { first = first ? first : &v; });
  return first;
}

} // namespace

Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale, const DebugContext &dc) {
  const Tensor t =
      graph.addConstant(QUARTER_METADATA, {1}, binaryOf(format, scale, "createConstantMetadataTensor"), dc);
  graph.setTileMapping(t, 0);
  return t;
}

Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale, const DebugContext &dc) {
  const Tensor t = graph.addVariable(QUARTER_METADATA, {1}, dc);
  graph.setTileMapping(t, 0);
  graph.setInitialValue(t, binaryOf(format, scale, "createVariableMetadataTensor"));
  return t;
}

// The metadata of a tensor is that of the variable that it is a view of.
void Graph::setMetadata(const Tensor &t, const Tensor &metadata, const char *function) {
  checkMetadata(t.elementType(), metadata, function);
  if (metadata.valid())
    core_->variables.back().metadata = metadata.view();
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          const DebugContext &dc) {
  const Tensor t = addVariable(type, shape, dc);
  setMetadata(t, metadata, "addVariable");
  return t;
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          VariableMappingMethod method, const DebugContext &dc) {
  const Tensor t = addVariable(type, shape, method, dc);
  setMetadata(t, metadata, "addVariable");
  return t;
}

Tensor Graph::addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast, const DebugContext &dc) {
  const Tensor t = addConstant(type, shape, values, traits, broadcast, dc);
  setMetadata(t, metadata, "addConstant");
  return t;
}

Tensor Graph::cloneN(const Type &type, const Tensor &metadata, const Tensor &t, std::size_t N, const DebugContext &dc,
                     TensorCloneMethod method, TensorCloneDuplicationMethod) {
  std::vector<Tensor> copies;
  for (std::size_t i = 0; i < N; ++i)
    copies.push_back(clone(type, metadata, t, dc, method).expand({0}));
  return concat(copies);
}

Tensor Graph::clone(const Type &type, const Tensor &metadata, const Tensor &t, const DebugContext &dc,
                    TensorCloneMethod method) {
  const Tensor copy = clone(type, t, dc, method);
  setMetadata(copy, metadata, "clone");
  return copy;
}

bool Tensor::hasMetadata() const {
  const dace_ipu_sim::Variable *v = firstVariable(*this);
  return type_.requiresMetadata() && v && v->metadata;
}

Tensor Tensor::getMetadata() const {
  return hasMetadata() ? Tensor(QUARTER_METADATA, firstVariable(*this)->metadata) : Tensor();
}

} // namespace poplar
