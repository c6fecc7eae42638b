#include "graph_core.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace dace_ipu_sim {

const FieldBinding *Vertex::find(unsigned field) const {
  for (const FieldBinding &b : bindings)
    if (b.field == field)
      return &b;
  return nullptr;
}

FieldBinding *Vertex::find(unsigned field) {
  return const_cast<FieldBinding *>(static_cast<const Vertex *>(this)->find(field));
}

Variable &GraphCore::addVariable(const std::string &name, poplar::Type type, std::size_t elements) {
  Variable v;
  v.id = static_cast<unsigned>(variables.size());
  v.name = name.empty() ? "var" + std::to_string(v.id) : name;
  v.type = type;
  v.elements = elements;
  variables.push_back(std::move(v));
  return variables.back();
}

Vertex &GraphCore::vertex(unsigned id) {
  if (id >= vertices.size())
    throw poplar::poplar_error("invalid vertex reference");
  return vertices[id];
}

std::string describeVertex(const GraphCore &graph, unsigned id) {
  const Vertex &v = graph.vertices[id];
  const ComputeSetRecord &cs = graph.computeSets[v.computeSet];
  // Vertex numbers grow within a compute set, so the position can be found by bisection.
  const auto at = std::lower_bound(cs.vertices.begin(), cs.vertices.end(), id) - cs.vertices.begin();
  return "vertex '" + v.type->name + "' (number " + std::to_string(at) + " of compute set '" + cs.name + "'" +
         (v.tile == noTile ? "" : ", tile " + std::to_string(v.tile)) + ")";
}

const char *kindName(ProgramKind kind) {
  static const char *const names[] = {
      "Sequence",         "Execute",    "Repeat",         "RepeatWhileTrue", "RepeatWhileFalse", "If",
      "Switch",           "Copy",       "StreamToTensor", "TensorToStream",  "RemoteToTensor",   "TensorToRemote",
      "WriteUndef",       "Sync",       "Call",           "HostCall",        "PrintTensor",      "Abort",
      "AbortOnCondition", "CycleStart", "CycleEnd",       "CycleStamp",      "CrossReplicaCopy", "CodeCopy",
      "GetFpControl",     "SetFpControl", "Loop"};
  return names[static_cast<std::size_t>(kind)];
}

} // namespace dace_ipu_sim
