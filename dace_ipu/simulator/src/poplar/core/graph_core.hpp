// What a graph holds. The public classes are handles into this.
#pragma once

#include "codelets.hpp"
#include "program_node.hpp"
#include "variable.hpp"
#include "view.hpp"

#include <poplar/GraphElements.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace dace_ipu_sim {

constexpr unsigned noTile = ~0u;

/// What was given to one field of one vertex.
struct FieldBinding {
  enum class Kind : std::uint8_t { Edge, EdgeList, Values };
  Kind kind;
  std::uint16_t field;
  poplar::Tensor edge;              // Edge
  std::vector<poplar::Tensor> rows; // EdgeList; an unset row is an invalid tensor
  std::vector<std::uint8_t> bytes;  // Values: in the field's element type
};

struct Vertex {
  const VertexType *type = nullptr;
  const CodeletModule *module = nullptr;
  unsigned computeSet = 0;
  unsigned tile = noTile;
  bool hasEstimate = false;
  poplar::VertexPerfEstimate estimate;
  std::vector<FieldBinding> bindings;

  const FieldBinding *find(unsigned field) const;
  FieldBinding *find(unsigned field);
};

struct ComputeSetRecord {
  std::string name;
  std::vector<unsigned> vertices;
};

struct StreamRecord {
  std::string handle;
  poplar::Type type;
  std::size_t elements;
  bool toDevice;
  bool broadcast; // to the device: all replicas get the same data
};

struct RemoteBufferRecord {
  std::string handle;
  poplar::Type type;
  std::size_t elements;
  std::size_t repeats;
};

struct HostFunctionRecord {
  std::string handle;
  std::vector<poplar::HostFunctionArgument> inputs;
  std::vector<poplar::HostFunctionArgument> outputs;
};

/// Bytes written into a variable when the program is loaded.
struct InitialValue {
  poplar::Tensor tensor;
  std::vector<std::uint8_t> bytes;
};

struct CodeletEntry {
  const VertexType *type;
  const CodeletModule *module;
};

struct GraphCore {
  explicit GraphCore(const poplar::Target &target) : target(target), deviceTarget(target) {}

  poplar::Target target;       // of one replica
  poplar::Target deviceTarget; // of all of them
  unsigned replicas = 1;
  std::deque<Variable> variables; // views point at them
  std::deque<Vertex> vertices;
  std::vector<ComputeSetRecord> computeSets;
  std::unordered_map<std::string, CodeletEntry> codelets;
  std::deque<InitialValue> initialValues; // plans point at their bytes
  std::vector<StreamRecord> streams;
  std::vector<RemoteBufferRecord> remoteBuffers;
  std::vector<HostFunctionRecord> hostFunctions;
  std::vector<ProgramPtr> functions;
  std::map<std::string, poplar::Tensor> hostReads;
  std::map<std::string, poplar::Tensor> hostWrites;
  std::map<std::string, poplar::PerfEstimateFunc> estimators;
  unsigned cycleCounters = 0;
  poplar::Tensor hwSeeds; // made by the first getHwSeeds or setHwSeeds

  Variable &addVariable(const std::string &name, poplar::Type type, std::size_t elements);
  Vertex &vertex(unsigned id);
};

/// "vertex 'Name' (number 7 of compute set 'cs', tile 3)"
std::string describeVertex(const GraphCore &graph, unsigned id);

} // namespace dace_ipu_sim
