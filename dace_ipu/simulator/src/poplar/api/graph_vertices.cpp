// Graph: compute sets, vertices and what their fields hold.
#include "../core/graph_core.hpp"
#include "../core/types.hpp"
#include "../machine/compute_cost.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>

namespace poplar {

using dace_ipu_sim::FieldBinding;
using dace_ipu_sim::GraphCore;
using dace_ipu_sim::Vertex;

namespace {

// A field of a vertex under way to be bound, with what the messages need.
struct FieldSite {
  const GraphCore &graph;
  unsigned vertexId;
  Vertex &vertex;
  unsigned index;
  const DaceIpuField &abi;
  Type type;

  std::string name() const {
    return "field '" + std::string(abi.name) + "' of " + dace_ipu_sim::describeVertex(graph, vertexId);
  }
  bool isEdge() const { return abi.kind != DACE_IPU_STATE && abi.kind != DACE_IPU_STATE_VECTOR; }
  bool isList() const { return abi.kind == DACE_IPU_EDGE_LIST || abi.kind == DACE_IPU_SCALAR_EDGE_LIST; }
  bool isScalar() const { return abi.kind == DACE_IPU_SCALAR_EDGE || abi.kind == DACE_IPU_STATE; }
};

std::string fieldNames(const DaceIpuVertexType &type) {
  std::string names;
  for (std::uint32_t i = 0; i < type.num_fields; ++i)
    names += (i ? ", " : "") + std::string(type.fields[i].name);
  return names.empty() ? "none" : names;
}

FieldSite siteOf(GraphCore &graph, const FieldRef &ref) {
  Vertex &v = graph.vertex(ref.vertexId());
  const int index = v.type->fieldIndex(ref.getFieldName());
  if (index < 0)
    throw unknown_field("vertex '" + v.type->name + "' has no field '" + ref.getFieldName() +
                        "'; its fields are: " + fieldNames(*v.type->abi));
  const unsigned i = static_cast<unsigned>(index);
  return {graph, ref.vertexId(), v, i, v.type->abi->fields[i], v.type->fieldTypes[i]};
}

FieldBinding &newBinding(const FieldSite &site, FieldBinding::Kind kind) {
  if (site.vertex.find(site.index))
    throw graph_connection_error(site.name() + " is connected or set twice");
  site.vertex.bindings.push_back({kind, static_cast<std::uint16_t>(site.index), {}, {}, {}});
  return site.vertex.bindings.back();
}

bool isOutput(const DaceIpuField &f) { return f.direction == DACE_IPU_OUTPUT || f.direction == DACE_IPU_INOUT; }

void checkEdge(const FieldSite &site, const Tensor &t) {
  if (!t.valid())
    throw graph_connection_error(site.name() + ": the tensor is not valid (default constructed or moved from)");
  if (t.elementType() != site.type)
    throw type_error(site.name() + " has element type '" + site.abi.type + "', but is connected to " + t.getDebugStr());
  if (isOutput(site.abi) && t.containsConstant())
    throw graph_connection_error(site.name() + " is written, but is connected to a constant: " + t.getDebugStr());
  if (isOutput(site.abi) && t.containsAliases())
    throw graph_connection_error(site.name() + " is written, but " + t.getDebugStr() +
                                 " contains the same element more than once");
}

void requireScalar(const FieldSite &site, const Tensor &t) {
  if (t.numElements() != 1)
    throw graph_connection_error(site.name() + " takes one element, but is connected to " + t.getDebugStr());
}

void requireRank(const FieldSite &site, const Tensor &t, unsigned rank, const char *hint) {
  if (t.rank() != rank)
    throw graph_connection_error(site.name() + " takes a tensor with " + std::to_string(rank) + " dimension" +
                                 (rank == 1 ? "" : "s") + ", but is connected to " + t.getDebugStr() + hint);
}

// One row of a list field.
void checkRow(const FieldSite &site, const Tensor &t) {
  checkEdge(site, t);
  if (site.abi.kind == DACE_IPU_SCALAR_EDGE_LIST)
    requireScalar(site, t);
  else
    requireRank(site, t, 1, "");
}

void connectRows(const FieldSite &site, std::vector<Tensor> rows) {
  for (const Tensor &t : rows)
    checkRow(site, t);
  FieldBinding *existing = site.vertex.find(site.index);
  // setFieldSize leaves a list of invalid tensors behind.
  const bool onlySized =
      existing && existing->kind == FieldBinding::Kind::EdgeList && existing->rows.size() == rows.size() &&
      std::none_of(existing->rows.begin(), existing->rows.end(), [](const Tensor &t) { return t.valid(); });
  if (onlySized)
    existing->rows = std::move(rows);
  else
    newBinding(site, FieldBinding::Kind::EdgeList).rows = std::move(rows);
}

void connectListField(const FieldSite &site, const Tensor &t) {
  const unsigned rank = site.abi.kind == DACE_IPU_EDGE_LIST ? 2 : 1;
  checkEdge(site, t);
  requireRank(site, t, rank, "");
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < t.dim(0); ++i)
    rows.push_back(t[i]);
  connectRows(site, std::move(rows));
}

void connectElement(const FieldSite &site, std::size_t i, const Tensor &t) {
  if (!site.isList())
    throw graph_connection_error(site.name() + " is not a list, so it has no element " + std::to_string(i));
  checkRow(site, t);
  FieldBinding *b = site.vertex.find(site.index);
  if (!b)
    b = &newBinding(site, FieldBinding::Kind::EdgeList);
  if (b->rows.size() <= i)
    b->rows.resize(i + 1);
  if (b->rows[i].valid())
    throw graph_connection_error("element " + std::to_string(i) + " of " + site.name() + " is connected twice");
  b->rows[i] = t;
}

void connectTensor(GraphCore &graph, const FieldRef &ref, const Tensor &t) {
  const FieldSite site = siteOf(graph, ref);
  if (!site.isEdge())
    throw graph_connection_error(site.name() + " is a plain field: use setInitialValue instead of connecting " +
                                 t.getDebugStr());
  if (ref.isIndexed())
    return connectElement(site, ref.getIndex(), t);
  if (site.isList())
    return connectListField(site, t);
  checkEdge(site, t);
  if (site.isScalar())
    requireScalar(site, t);
  else
    requireRank(site, t, 1, "; flatten it first");
  newBinding(site, FieldBinding::Kind::Edge).edge = t;
}

void connectList(GraphCore &graph, const FieldRef &ref, std::vector<Tensor> tensors) {
  const FieldSite site = siteOf(graph, ref);
  if (!site.isList())
    throw graph_connection_error(site.name() + " is not a list, but is connected to a list of " +
                                 std::to_string(tensors.size()) + " tensors");
  connectRows(site, std::move(tensors));
}

std::size_t elementBytes(const FieldSite &site) {
  if (site.type != Type())
    return dace_ipu_sim::sizeOf(site.type);
  return site.abi.size; // an enum or similar plain field
}

Type valueType(const FieldSite &site) {
  if (site.type != Type())
    return site.type;
  switch (site.abi.size) {
  case 1:
    return CHAR;
  case 2:
    return SHORT;
  case 4:
    return INT;
  case 8:
    return LONGLONG;
  default:
    throw type_error(site.name() + " has type '" + site.abi.type + "', which takes no host value");
  }
}

void bindValues(GraphCore &graph, const FieldRef &ref, const void *values, std::size_t count, const TypeTraits &traits,
                bool list) {
  const FieldSite site = siteOf(graph, ref);
  if (site.isList() || ref.isIndexed())
    throw graph_connection_error(site.name() + " is a list of edges: connect tensors to it, not values");
  if (list == site.isScalar())
    throw type_error(site.name() +
                     (list ? " holds one value, but is given several" : " is a vector, but is given one value"));
  if (isOutput(site.abi) && site.isEdge() && site.abi.direction == DACE_IPU_OUTPUT)
    throw graph_connection_error(site.name() + " is an output: connect a tensor to it, not a value");
  std::vector<std::uint8_t> bytes(count * elementBytes(site));
  dace_ipu_sim::convertValues(values, traits, count, false, valueType(site), bytes.data(), site.name());
  FieldBinding *existing = site.vertex.find(site.index);
  if (existing && !site.isEdge()) // a plain field may be set again
    existing->bytes = std::move(bytes);
  else
    newBinding(site, FieldBinding::Kind::Values).bytes = std::move(bytes);
}

std::string knownCodelets(const GraphCore &graph) {
  std::vector<std::string> names;
  for (const auto &c : graph.codelets)
    names.push_back(c.first);
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i)
    text += (i ? ", " : "") + names[i];
  return names.empty() ? "none (no codelets were added)" : text + (names.size() > 20 ? ", ..." : "");
}

} // namespace

ComputeSet Graph::addComputeSet(const DebugContext &dc) {
  const unsigned id = static_cast<unsigned>(core_->computeSets.size());
  core_->computeSets.push_back({dc.getPathName().empty() ? "cs" + std::to_string(id) : dc.getPathName(), {}});
  return ComputeSet(id);
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  if (cs.getId() >= core_->computeSets.size())
    throw poplar_error("addVertex '" + vertexType.cloneAsString() + "': the compute set is not of this graph");
  const auto codelet = core_->codelets.find(vertexType);
  if (codelet == core_->codelets.end())
    throw unknown_vertex_type("unknown vertex type '" + vertexType.cloneAsString() +
                              "'; known are: " + knownCodelets(*core_));
  const unsigned id = static_cast<unsigned>(core_->vertices.size());
  Vertex v{codelet->second.type, codelet->second.module, cs.getId(), dace_ipu_sim::noTile, false, {}, {}};
  v.bindings.reserve(v.type->abi->num_fields);
  core_->vertices.push_back(std::move(v));
  core_->computeSets[cs.getId()].vertices.push_back(id);
  return VertexRef(id);
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections) {
  const VertexRef v = addVertex(cs, vertexType);
  for (const ConnectionDesc &c : connections) {
    if (c.isValue())
      bindValues(*core_, v[c.field()], c.values().data(), c.values().size() / c.traits().size, c.traits(), c.isList());
    else if (c.isList())
      connectList(*core_, v[c.field()], c.tensors());
    else
      connectTensor(*core_, v[c.field()], c.tensors()[0]);
  }
  return v;
}

void Graph::connect(FieldRef field, const Tensor &tensor) { connectTensor(*core_, field, tensor); }
void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors) { connectList(*core_, field, tensors.cloneAsVector()); }

namespace {

constexpr TypeTraits halfBits = {2, 2, true, true, false};

} // namespace

void Graph::connectValues(const FieldRef &field, const void *values, std::size_t count, const TypeTraits &traits,
                          bool list) {
  bindValues(*core_, field, values, count, traits, list);
}

void Graph::setInitialValues(const FieldRef &field, const void *values, std::size_t count, const TypeTraits &traits,
                             bool list) {
  bindValues(*core_, field, values, count, traits, list);
}

void Graph::setInitialValueHalf(FieldRef field, std::uint16_t value) {
  bindValues(*core_, field, &value, 1, halfBits, false);
}
void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values) {
  bindValues(*core_, field, values.data(), values.size(), halfBits, true);
}
void Graph::connectHalf(FieldRef field, std::uint16_t value) { setInitialValueHalf(field, value); }
void Graph::connectHalf(FieldRef field, ArrayRef<std::uint16_t> values) { setInitialValueHalf(field, values); }

void Graph::setFieldSize(FieldRef field, std::size_t size) {
  const FieldSite site = siteOf(*core_, field);
  if (site.isList() && !field.isIndexed()) {
    newBinding(site, FieldBinding::Kind::EdgeList).rows.resize(size);
  } else if (site.abi.kind == DACE_IPU_STATE_VECTOR) {
    newBinding(site, FieldBinding::Kind::Values).bytes.resize(size * elementBytes(site));
  } else {
    throw poplar_error("setFieldSize: the simulator sizes only lists and vectors stored with the vertex, not " +
                       site.name());
  }
}

std::size_t Graph::getFieldSize(FieldRef field) const {
  const FieldSite site = siteOf(*core_, field);
  const FieldBinding *b = site.vertex.find(site.index);
  if (!b)
    throw no_size_specified(site.abi.name, site.vertex.type->name);
  switch (b->kind) {
  case FieldBinding::Kind::Edge:
    return b->edge.numElements();
  case FieldBinding::Kind::EdgeList:
    return field.isIndexed() ? b->rows.at(field.getIndex()).numElements() : b->rows.size();
  default:
    return b->bytes.size() / elementBytes(site);
  }
}

void Graph::setPerfEstimate(const VertexRef &v, std::uint64_t cycles, std::uint64_t flops) {
  setPerfEstimate(v, VertexPerfEstimate(cycles, flops));
}

void Graph::setPerfEstimate(const VertexRef &v, VertexPerfEstimate estimate) {
  Vertex &vertex = core_->vertex(v.getId());
  vertex.estimate = estimate;
  vertex.hasEstimate = true;
}

VertexPerfEstimate Graph::getPerfEstimate(const VertexRef &v) const {
  const Vertex &vertex = core_->vertex(v.getId());
  if (vertex.hasEstimate)
    return vertex.estimate;
  if (const auto registered = dace_ipu_sim::registeredEstimate(*core_, vertex))
    return *registered;
  throw missing_perf_estimate(dace_ipu_sim::describeVertex(*core_, v.getId()) +
                              " has no performance estimate, and its type no registered estimator");
}

void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc f) {
  core_->estimators[vertexType] = std::move(f);
}

std::size_t Graph::getNumVertices() const { return core_->vertices.size(); }

// Limits of the device layouts of vectors: 11-bit sizes for SHORT_SPAN, 32-bit sizes otherwise.
std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimIndex) const {
  const auto codelet = core_->codelets.find(vertexType);
  if (codelet == core_->codelets.end())
    throw unknown_vertex_type("unknown vertex type '" + vertexType.cloneAsString() + "'");
  const int index = codelet->second.type->fieldIndex(field);
  if (index < 0)
    throw unknown_field("vertex '" + vertexType.cloneAsString() + "' has no field '" + field.cloneAsString() + "'");
  const DaceIpuField &f = codelet->second.type->abi->fields[index];
  const std::uint8_t layout = dimIndex == 0 ? f.outer_layout : f.inner_layout;
  return layout == DACE_IPU_SHORT_SPAN ? (1u << 11) - 1 : ~0u;
}

double Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef field) const {
  const auto codelet = core_->codelets.find(vertexType);
  if (codelet == core_->codelets.end())
    throw unknown_vertex_type("unknown vertex type '" + vertexType.cloneAsString() + "'");
  const int index = codelet->second.type->fieldIndex(field);
  if (index < 0)
    throw unknown_field("vertex '" + vertexType.cloneAsString() + "' has no field '" + field.cloneAsString() + "'");
  return getTarget().getTypeLimitsMaxAs<double>(codelet->second.type->fieldTypes[static_cast<std::size_t>(index)]);
}

} // namespace poplar
