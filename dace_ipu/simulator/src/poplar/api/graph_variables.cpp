// Graph: variables, constants, clones and initial values of tensors.
#include "../core/graph_core.hpp"
#include "../core/types.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

using dace_ipu_sim::Run;
using dace_ipu_sim::Shape;
using dace_ipu_sim::Variable;

std::string toString(const VariableMappingMethod &method) {
  return method == VariableMappingMethod::LINEAR ? "linear" : "none";
}
std::ostream &operator<<(std::ostream &os, const VariableMappingMethod &method) { return os << toString(method); }

std::string toString(const TensorCloneMethod &method) {
  static const char *const names[] = {"preserve-order-and-aliases", "create-new-order", "preserve-order-unless-aliases",
                                      "gather-and-preserve-tile-order-and-aliases"};
  return names[static_cast<std::size_t>(method)];
}
std::ostream &operator<<(std::ostream &os, const TensorCloneMethod &method) { return os << toString(method); }

namespace {

std::string quoted(const DebugContext &dc) { return "'" + dc.getPathName() + "'"; }

// The rule of VariableMappingMethod::LINEAR: blocks of whole 4-byte words, evenly over all tiles (as
// poputil::mapTensorLinearly does it, which the graph library cannot call).
void mapLinearly(Variable &v, unsigned numTiles, unsigned grain, unsigned minimum) {
  if (v.elements == 0)
    return;
  const std::size_t grains = (v.elements + grain - 1) / grain;
  std::size_t perTile = (grains + numTiles - 1) / numTiles;
  const std::size_t most = std::max<std::size_t>(1, grains / ((minimum + grain - 1) / grain));
  perTile = std::max(perTile, (grains + most - 1) / most);
  const std::size_t used = (grains + perTile - 1) / perTile;
  for (std::size_t t = 0; t < used; ++t)
    v.mapping.assign(t * grains / used * grain, std::min(v.elements, (t + 1) * grains / used * grain),
                     static_cast<unsigned>(t));
}

} // namespace

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &dc) {
  dace_ipu_sim::requireDeviceType(type, "addVariable " + quoted(dc));
  const Shape s = shape.cloneAsVector();
  const Variable &v = core_->addVariable(dc.getPathName(), type, dace_ipu_sim::product(s));
  return Tensor(type, dace_ipu_sim::wholeView(&v, s));
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                          const DebugContext &dc) {
  const Tensor t = addVariable(type, shape, dc);
  if (method == VariableMappingMethod::LINEAR) {
    const unsigned bytes = static_cast<unsigned>(dace_ipu_sim::sizeOf(type));
    mapLinearly(core_->variables.back(), getTarget().getNumTiles(), getTarget().getVectorWidth(type),
                (128 + bytes - 1) / bytes);
  }
  return t;
}

void Graph::checkConstantCount(ArrayRef<std::size_t> shape, std::size_t count, const DebugContext &dc) const {
  const std::size_t wanted = dace_ipu_sim::product(shape.cloneAsVector());
  if (count != wanted)
    throw tensor_creation_error("addConstant " + quoted(dc) + ": " + std::to_string(count) + " values for " +
                                std::to_string(wanted) + " elements");
}

Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values, const TypeTraits &traits,
                          bool broadcast, const DebugContext &dc) {
  const std::string what = "addConstant " + quoted(dc);
  dace_ipu_sim::requireDeviceType(type, what);
  const Shape s = shape.cloneAsVector();
  const std::size_t n = dace_ipu_sim::product(s);
  std::vector<std::uint8_t> bytes(n * dace_ipu_sim::sizeOf(type));
  dace_ipu_sim::convertValues(values, traits, n, broadcast, type, bytes.data(), what);
  Variable &v = core_->addVariable(dc.getPathName(), type, n);
  v.isConstant = true;
  v.bytes = std::move(bytes);
  return Tensor(type, dace_ipu_sim::wholeView(&v, s));
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                              const DebugContext &dc) {
  return addConstant(type, shape, &value, {2, 2, true, true, false}, true, dc);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *values,
                              const DebugContext &dc) {
  return addConstant(type, shape, values, {2, 2, true, true, false}, false, dc);
}

Tensor Graph::addReplicationIndexConstant(const DebugContext &dc) {
  const Tensor t = addConstant(UNSIGNED_INT, {}, 0u, dc.getPathName().empty() ? DebugContext("<replica index>") : dc);
  core_->variables.back().isReplicaIndex = true;
  return t;
}

// Clones

namespace {

// Gives the elements of `to`, in row-major order, the tiles of those of `from`.
void copyMapping(const Tensor &from, Variable &to) {
  std::size_t at = 0;
  dace_ipu_sim::forEachRun(*from.view(), [&](const Run &r) {
    const auto &regions = r.var->mapping.regions();
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step, at += step) {
      const std::size_t b = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      dace_ipu_sim::forRegionsIn(regions, b, b + step, [&](std::size_t rb, std::size_t re, unsigned tile) {
        to.mapping.assign(at + rb - b, at + re - b, tile);
      });
    }
  });
}

// A clone in the memory order of the original: the same factors on a new variable. Only for whole leaves.
dace_ipu_sim::ViewPtr sameOrderView(const dace_ipu_sim::View &v, const Variable *onto) {
  auto copy = std::make_shared<dace_ipu_sim::View>(v);
  copy->var = onto;
  return copy;
}

bool coversVariable(const dace_ipu_sim::View &v) {
  return v.kind == dace_ipu_sim::View::Kind::Leaf && v.elements == v.var->elements && !dace_ipu_sim::hasAliases(v);
}

} // namespace

Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &dc, TensorCloneMethod method) {
  const Shape shape = t.shape();
  const std::string name = dc.getPathName().empty() ? t.getVarStr() + "-clone" : dc.getPathName();
  dace_ipu_sim::requireDeviceType(type, "clone '" + name + "'");
  Variable &v = core_->addVariable(name, type, t.numElements());
  if (type.requiresMetadata() && t.hasMetadata())
    v.metadata = t.getMetadata().view();
  if (method != TensorCloneMethod::CREATE_NEW_ORDER && coversVariable(*t.view())) {
    v.mapping = t.view()->var->mapping;
    return Tensor(type, sameOrderView(*t.view(), &v));
  }
  copyMapping(t, v);
  return Tensor(type, dace_ipu_sim::wholeView(&v, shape));
}

Tensor Graph::clone(const Tensor &t, const DebugContext &dc, TensorCloneMethod method) {
  return clone(t.elementType(), t, dc, method);
}

Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t N, const DebugContext &dc, TensorCloneMethod method,
                     TensorCloneDuplicationMethod) {
  std::vector<Tensor> copies;
  for (std::size_t i = 0; i < N; ++i)
    copies.push_back(clone(type, t, dc, method).expand({0}));
  return concat(copies);
}

Tensor Graph::cloneN(const Tensor &t, std::size_t N, const DebugContext &dc, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  return cloneN(t.elementType(), t, N, dc, method, duplication);
}

void Graph::setInitialValues(const Tensor &t, const void *values, std::size_t count, const TypeTraits &traits,
                             bool broadcast) {
  const std::string what = "setInitialValue of " + t.getDebugStr();
  if (t.containsConstant())
    throw poplar_error(what + ": the tensor contains constants");
  if (!broadcast && count != t.numElements())
    throw poplar_error(what + ": " + std::to_string(count) + " values given");
  dace_ipu_sim::InitialValue initial{t, {}};
  initial.bytes.resize(t.numElements() * dace_ipu_sim::sizeOf(t.elementType()));
  dace_ipu_sim::convertValues(values, traits, t.numElements(), broadcast, t.elementType(), initial.bytes.data(), what);
  core_->initialValues.push_back(std::move(initial));
}

Tensor Graph::getVariable(VariableRef v) const {
  const Variable &var = core_->variables.at(v.id());
  return Tensor(var.type, dace_ipu_sim::wholeView(&var, {var.elements}));
}

bool Graph::isConstant(VariableRef v) const { return core_->variables.at(v.id()).isConstant; }

} // namespace poplar
