#include "compute_cost.hpp"
#include "../core/types.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dace_ipu_sim {

namespace {

constexpr std::uint64_t workerEntrySlots = 7;
constexpr std::uint64_t supervisorPrologue = 11;
constexpr std::uint64_t workerLaunchSlots = 5; // PopLibs' least; the code itself counts how it loads its fields

struct Traffic {
  std::uint64_t moved = 0;
  std::uint64_t widest = 0;
};

std::uint64_t elementsOf(const FieldBinding &b, std::size_t elementBytes) {
  if (b.kind == FieldBinding::Kind::Edge)
    return b.edge.numElements();
  if (b.kind == FieldBinding::Kind::Values)
    return elementBytes ? b.bytes.size() / elementBytes : 1;
  std::uint64_t n = 0;
  for (const poplar::Tensor &row : b.rows)
    n += row.valid() ? row.numElements() : 0;
  return n;
}

Traffic trafficOf(const Vertex &v) {
  Traffic t;
  for (const FieldBinding &b : v.bindings) {
    const DaceIpuField &f = v.type->abi->fields[b.field];
    if (f.kind == DACE_IPU_STATE || f.kind == DACE_IPU_STATE_VECTOR)
      continue;
    const std::uint64_t n = elementsOf(b, sizeOf(v.type->fieldTypes[b.field]));
    t.moved += f.direction == DACE_IPU_INOUT ? 2 * n : n;
    t.widest = std::max(t.widest, n);
  }
  return t;
}

std::uint64_t defaultEstimate(const Vertex &v, const Machine &machine) {
  const Traffic t = trafficOf(v);
  const std::uint64_t slots = t.moved + 2 * t.widest;
  if (v.type->abi->kind == DACE_IPU_MULTI_VERTEX)
    return supervisorPrologue + machine.workers * (workerEntrySlots + (slots + machine.workers - 1) / machine.workers);
  return workerEntrySlots + slots;
}

poplar::FieldData fieldData(const Vertex &v, const std::string &name) {
  const int index = v.type->fieldIndex(name);
  if (index < 0)
    throw poplar::unknown_field("performance estimator: vertex '" + v.type->name + "' has no field '" + name + "'");
  const unsigned field = static_cast<unsigned>(index);
  const DaceIpuField &abi = v.type->abi->fields[field];
  poplar::FieldData d;
  d.name_ = name;
  d.outerLayout_ = abi.outer_layout;
  d.innerLayout_ = abi.inner_layout;
  d.size_ = 1;
  const FieldBinding *b = v.find(field);
  if (!b)
    return d;
  const poplar::Type type = v.type->fieldTypes[field];
  if (b->kind == FieldBinding::Kind::EdgeList) {
    d.rank_ = 2;
    d.size_ = b->rows.size();
    for (const poplar::Tensor &row : b->rows)
      d.rows_.push_back(row.valid() ? row.numElements() : 0);
    return d;
  }
  d.size_ = elementsOf(*b, type == poplar::Type() ? 0 : sizeOf(type));
  d.rank_ = abi.kind == DACE_IPU_VECTOR_EDGE || abi.kind == DACE_IPU_STATE_VECTOR ? 1 : 0;
  if (b->kind == FieldBinding::Kind::Values && type != poplar::Type())
    for (std::size_t i = 0; i < d.size_; ++i)
      d.values_.push_back(readElement(type, b->bytes.data() + i * sizeOf(type)));
  return d;
}

// By the whole name, else by the name of the template.
const poplar::PerfEstimateFunc *estimatorOf(const GraphCore &graph, const std::string &vertexType) {
  for (const std::string &name : {vertexType, vertexType.substr(0, vertexType.find('<'))}) {
    const auto it = graph.estimators.find(name);
    if (it != graph.estimators.end())
      return &it->second;
  }
  return nullptr;
}

} // namespace

bool codeComesFirst(const poplar::OptionFlags &options, poplar::TargetType target) {
  const auto option = options.find("target.vertexCycles");
  const char *variable = std::getenv("DACE_IPU_VERTEX_CYCLES");
  const std::string wanted = option != options.end() ? option->second : variable ? variable : "";
  if (wanted.empty())
    return target == poplar::TargetType::IPU;
  if (wanted != "code" && wanted != "estimates")
    throw poplar::invalid_option("target.vertexCycles (or DACE_IPU_VERTEX_CYCLES) must be 'code' or 'estimates', not '" +
                                 wanted + "'");
  return wanted == "code";
}

std::uint64_t estimateFromCode(const DaceIpuVertexType &type, std::uint64_t counted, const Machine &machine) {
  if (type.kind == DACE_IPU_SUPERVISOR_VERTEX)
    return counted;
  const std::uint64_t slots = workerLaunchSlots + counted;
  return type.kind == DACE_IPU_MULTI_VERTEX ? supervisorPrologue + machine.workers * slots : slots;
}

std::uint64_t widestEdge(const Vertex &vertex) { return trafficOf(vertex).widest; }

std::string costKey(const Vertex &vertex) {
  std::string key;
  const auto add = [&](std::uint64_t n) { key.append(reinterpret_cast<const char *>(&n), sizeof(n)); };
  add(reinterpret_cast<std::uintptr_t>(vertex.type->abi));
  for (const FieldBinding &b : vertex.bindings) {
    add(b.field);
    add(b.edge.valid() ? b.edge.numElements() : 0);
    add(b.rows.size());
    for (const poplar::Tensor &row : b.rows)
      add(row.valid() ? row.numElements() : 0);
    add(b.bytes.size());
    key.append(reinterpret_cast<const char *>(b.bytes.data()), b.bytes.size());
  }
  return key;
}

std::optional<poplar::VertexPerfEstimate> registeredEstimate(const GraphCore &graph, const Vertex &vertex) {
  const auto *estimator = graph.estimators.empty() ? nullptr : estimatorOf(graph, vertex.type->name);
  if (!estimator)
    return std::nullopt;
  const auto lookup = [&](const std::string &name) { return fieldData(vertex, name); };
  return (*estimator)(poplar::VertexIntrospector(lookup, vertex.type->name), graph.target);
}

bool hasEstimator(const GraphCore &graph, const std::string &vertexType) {
  return estimatorOf(graph, vertexType) != nullptr;
}

VertexEstimate estimateVertex(const GraphCore &graph, const Vertex &vertex, const Machine &machine, bool codeFirst) {
  const auto fromProgram = [&] { return VertexEstimate{vertex.estimate.cycles, "setPerfEstimate"}; };
  if (vertex.hasEstimate && !codeFirst)
    return fromProgram();
  if (const auto registered = registeredEstimate(graph, vertex))
    return {registered->cycles, "estimator"};
  if (vertex.type->abi->run_counted)
    return {defaultEstimate(vertex, machine), "code"};
  if (vertex.hasEstimate)
    return fromProgram();
  return {defaultEstimate(vertex, machine), "default"};
}

void TileSchedule::add(const DaceIpuVertexType &type, std::uint64_t estimate) {
  if (type.kind != DACE_IPU_VERTEX) {
    alone_ += estimate;
    return;
  }
  shared_ = true;
  contexts_[next_] += estimate;
  next_ = (next_ + 1) % machine_.workers;
}

std::uint64_t TileSchedule::finish() {
  std::uint64_t cycles = machine_.launchCycles + alone_;
  if (shared_) {
    cycles += machine_.workers * *std::max_element(contexts_.begin(), contexts_.end());
    std::fill(contexts_.begin(), contexts_.end(), 0);
  }
  shared_ = false;
  alone_ = next_ = 0;
  return cycles;
}

} // namespace dace_ipu_sim

namespace poplar {

double FieldData::valueAt(std::size_t i) const {
  if (i >= values_.size())
    throw poplar_error("performance estimator: field '" + name_ + "' has no initial value");
  return values_[i];
}

layout::Vector FieldData::getProfilerVectorLayout(unsigned nestingLevel) const {
  return static_cast<layout::Vector>(nestingLevel == 0 ? outerLayout_ : innerLayout_);
}

std::string layout::to_string(Vector v) {
  static const char *const names[] = {"NotAVector",  "Span",        "ShortSpan",    "OnePtr",
                                      "ScaledPtr32", "ScaledPtr64", "ScaledPtr128", "CompactPtr"};
  return names[static_cast<std::size_t>(v)];
}

std::string layout::to_string(VectorList v) {
  static const char *const names[] = {"NotAVector",   "OnePtr", "ScaledPtr32",    "ScaledPtr64",
                                      "ScaledPtr128", "DeltaN", "DeltaNElements", "CompactDeltaN"};
  return names[static_cast<std::size_t>(v)];
}

} // namespace poplar
