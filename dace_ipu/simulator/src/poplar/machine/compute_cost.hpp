// What the vertices of a compute set cost.
#pragma once

#include "../core/graph_core.hpp"
#include "machine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace dace_ipu_sim {

/// Estimated work of one vertex: worker slots for a Vertex, tile cycles for a MultiVertex or SupervisorVertex.
struct VertexEstimate {
  std::uint64_t cycles;
  const char *source; // "setPerfEstimate", "estimator" or "default"
};

/// In this order: Graph::setPerfEstimate, a registered estimator, the default formula
///   slots = 7 + elements loaded + elements stored + 2 * elements of the widest edge
/// where an Input element is loaded, an Output element stored, an InOut element both, and the two slots more are one
/// arithmetic instruction and the loop. 7 slots is what PopLibs charges to enter and leave a worker. A MultiVertex
/// deals the slots out to its workers: 11 + workers * (7 + ceil(rest / workers)) tile cycles, 11 being PopLibs'
/// common supervisor prologue.
VertexEstimate estimateVertex(const GraphCore &graph, const Vertex &vertex, const Machine &machine);

/// Deals vertices out to the worker contexts of a tile, as the IPU Model does: plain vertices go round-robin, a slot
/// is `workers` tile cycles; others run alone.
class TileSchedule {
public:
  explicit TileSchedule(const Machine &machine);
  void add(const Vertex &vertex, std::uint64_t estimate);
  /// Tile cycles by tile.
  std::vector<std::uint64_t> finish() const;

private:
  const Machine &machine_;
  std::vector<std::uint64_t> contexts_; // slots, by tile and worker
  std::vector<std::uint64_t> alone_;    // tile cycles, by tile
  std::vector<unsigned> next_;
};

} // namespace dace_ipu_sim
