// What the vertices of a compute set cost.
#pragma once

#include "../core/graph_core.hpp"

#include <poplar/OptionFlags.hpp>
#include "machine.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dace_ipu_sim {

/// Estimated work of one vertex: worker slots for a Vertex, tile cycles for a MultiVertex or SupervisorVertex.
struct VertexEstimate {
  std::uint64_t cycles;
  const char *source; // "code", "setPerfEstimate", "estimator" or "default"
};

/// Whose word counts for a vertex whose codelet counts its own cost: the engine option `target.vertexCycles` or the
/// environment variable DACE_IPU_VERTEX_CYCLES, "code" or "estimates". By default it is the code on hardware and
/// Graph::setPerfEstimate on other targets, as with Graphcore's IPUModel. Throws invalid_option.
bool codeComesFirst(const poplar::OptionFlags &options, poplar::TargetType target);

/// Worker slots of a Vertex, or tile cycles of others, from what `run_counted` of the type counted in one worker (the
/// one that took longest). To it come what starts and ends a worker, and a MultiVertex's common supervisor code.
std::uint64_t estimateFromCode(const DaceIpuVertexType &type, std::uint64_t counted, const Machine &machine);

/// In this order, if `codeFirst`: a registered estimator, the code (then `cycles` is only a guess until it has run),
/// Graph::setPerfEstimate; else Graph::setPerfEstimate, a registered estimator, the code. At last the default formula
///   slots = 7 + elements loaded + elements stored + 2 * elements of the widest edge
/// where an Input element is loaded, an Output element stored, an InOut element both, and the two slots more are one
/// arithmetic instruction and the loop. 7 slots is what PopLibs charges to enter and leave a worker. A MultiVertex
/// deals the slots out to its workers: 11 + workers * (7 + ceil(rest / workers)) tile cycles, 11 being PopLibs'
/// common supervisor prologue.
VertexEstimate estimateVertex(const GraphCore &graph, const Vertex &vertex, const Machine &machine, bool codeFirst);

/// What the estimator says that a program or a library registered for the vertex's type, or for its template; nothing
/// if there is none.
std::optional<poplar::VertexPerfEstimate> registeredEstimate(const GraphCore &graph, const Vertex &vertex);
/// Whether there is such an estimator.
bool hasEstimator(const GraphCore &graph, const std::string &vertexType);

/// Elements of the widest edge, the measure of a vertex's work in "slots per element".
std::uint64_t widestEdge(const Vertex &vertex);

/// What decides how much a vertex's code costs, as long as that does not depend on data: equal texts, equal costs.
std::string costKey(const Vertex &vertex);

/// Deals the vertices of a tile out to its worker contexts, as the IPU Model does: plain vertices go round-robin, a slot
/// is `workers` tile cycles; others run alone. A tile with vertices takes the machine's launchCycles besides.
class TileSchedule {
public:
  explicit TileSchedule(const Machine &machine) : machine_(machine), contexts_(machine.workers) {}
  void add(const DaceIpuVertexType &type, std::uint64_t estimate);
  /// Tile cycles of the vertices since the last call; there was at least one.
  std::uint64_t finish();

private:
  const Machine &machine_;
  std::vector<std::uint64_t> contexts_; // slots, by worker
  bool shared_ = false;                 // whether there are any of these
  std::uint64_t alone_ = 0;             // tile cycles
  unsigned next_ = 0;
};

} // namespace dace_ipu_sim
