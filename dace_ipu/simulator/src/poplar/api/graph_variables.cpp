// Graph: variables, constants, clones and initial values of tensors.
#include "../core/graph_core.hpp"
#include "../core/types.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <tuple>

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
template <typename ToTile>
void mapLinearly(Variable &v, unsigned numTiles, unsigned grain, unsigned minimum, const ToTile &toTile) {
  if (v.elements == 0)
    return;
  const std::size_t grains = (v.elements + grain - 1) / grain;
  std::size_t perTile = (grains + numTiles - 1) / numTiles;
  const std::size_t most = std::max<std::size_t>(1, grains / ((minimum + grain - 1) / grain));
  perTile = std::max(perTile, (grains + most - 1) / most);
  const std::size_t used = (grains + perTile - 1) / perTile;
  for (std::size_t t = 0; t < used; ++t)
    v.mapping.assign(t * grains / used * grain, std::min(v.elements, (t + 1) * grains / used * grain),
                     toTile(static_cast<unsigned>(t)));
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
                (128 + bytes - 1) / bytes, [&](unsigned tile) { return topLevelTile(tile, "addVariable"); });
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

// Consecutive elements of a variable.
struct Piece {
  const Variable *var;
  std::size_t begin, end;
};

std::vector<Piece> piecesOf(const Tensor &t) {
  std::vector<Piece> pieces;
  dace_ipu_sim::forEachRun(*t.view(), [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step) {
      const std::size_t b = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      pieces.push_back({r.var, b, b + step});
    }
  });
  return pieces;
}

// Every element once, in the order of the memory.
std::vector<Piece> withoutAliases(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return std::tie(a.var->id, a.begin) < std::tie(b.var->id, b.begin);
  });
  std::vector<Piece> merged;
  for (const Piece &p : pieces)
    if (!merged.empty() && merged.back().var == p.var && p.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, p.end);
    else
      merged.push_back(p);
  return merged;
}

// A clone in which the same elements alias as in the original.
Tensor cloneWithAliases(dace_ipu_sim::GraphCore &graph, const Type &type, const Tensor &t, const std::string &name) {
  const std::vector<Piece> pieces = piecesOf(t), kept = withoutAliases(pieces);
  std::vector<std::size_t> starts = {0};
  for (const Piece &p : kept)
    starts.push_back(starts.back() + p.end - p.begin);
  Variable &v = graph.addVariable(name, type, starts.back());
  for (std::size_t i = 0; i < kept.size(); ++i)
    dace_ipu_sim::forRegionsIn(kept[i].var->mapping.regions(), kept[i].begin, kept[i].end,
                               [&](std::size_t b, std::size_t e, unsigned tile) {
                                 v.mapping.assign(starts[i] + b - kept[i].begin, starts[i] + e - kept[i].begin, tile);
                               });
  const Tensor all(type, dace_ipu_sim::wholeView(&v, {v.elements}));
  std::vector<Tensor> parts;
  for (const Piece &p : pieces) {
    const auto after = std::upper_bound(kept.begin(), kept.end(), p, [](const Piece &a, const Piece &b) {
      return std::tie(a.var->id, a.begin) < std::tie(b.var->id, b.begin);
    });
    const auto i = static_cast<std::size_t>(after - kept.begin()) - 1;
    const std::size_t at = starts[i] + p.begin - kept[i].begin;
    parts.push_back(all.slice(at, at + p.end - p.begin));
  }
  return concat(parts).reshape(t.shape());
}

bool coversVariable(const dace_ipu_sim::View &v) {
  return v.kind == dace_ipu_sim::View::Kind::Leaf && v.elements == v.var->elements && !dace_ipu_sim::hasAliases(v);
}

} // namespace

Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &dc, TensorCloneMethod method) {
  const Shape shape = t.shape();
  const std::string name = dc.getPathName().empty() ? t.getVarStr() + "-clone" : dc.getPathName();
  dace_ipu_sim::requireDeviceType(type, "clone '" + name + "'");
  const bool aliases = method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
                       method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
  if (aliases && t.containsAliases())
    return cloneWithAliases(*core_, type, t, name);
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
  for (std::size_t i = 0; i < std::max<std::size_t>(N, 1); ++i)
    copies.push_back(clone(type, t, dc, method).expand({0}));
  return concat(copies).slice(0, N);
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

void Graph::setInitialValueHalf(const Tensor &t, std::uint16_t value) {
  setInitialValues(t, &value, 1, {2, 2, true, true, false}, true);
}
void Graph::setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values) {
  setInitialValues(t, values.data(), values.size(), {2, 2, true, true, false}, false);
}

Tensor Graph::getVariable(VariableRef v) const {
  const Variable &var = core_->variables.at(v.id());
  return Tensor(var.type, dace_ipu_sim::wholeView(&var, {var.elements}));
}

bool Graph::isConstant(VariableRef v) const { return core_->variables.at(v.id()).isConstant; }

} // namespace poplar
