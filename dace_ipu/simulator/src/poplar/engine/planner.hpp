// Makes an ExecutablePlan: checks the graph, lays out memory, plans compute sets and steps, adds up costs.
#pragma once

#include "../machine/compute_cost.hpp"
#include "../machine/copy_traffic.hpp"
#include "../machine/exchange.hpp"
#include "../machine/machine.hpp"
#include "copies.hpp"
#include "liveness.hpp"
#include "plan.hpp"
#include "write_set.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dace_ipu_sim {

/// Memory of the tiles as it accumulates over the steps.
struct MemoryTally {
  explicit MemoryTally(unsigned numTiles);
  std::vector<std::uint64_t> bytes[numMemoryCategories]; // by tile
  std::unordered_map<const VertexType *, std::vector<bool>> codeOnTile;
  std::unordered_map<const VertexType *, VertexTypeUse> types;
  std::vector<bool> copyCodeOnTile;
};

/// What one vertex takes on its tile, with the device's 4-byte pointers and sizes.
struct VertexFootprint {
  std::uint64_t state = 0;
  std::uint64_t pointers = 0; // tables of list rows
  std::uint64_t values = 0;   // arrays stored with the vertex
};
VertexFootprint footprintOf(const Vertex &vertex);

class Planner {
public:
  Planner(const std::shared_ptr<GraphCore> &graph, const poplar::OptionFlags &options);
  std::shared_ptr<const ExecutablePlan> run(const std::vector<ProgramPtr> &programs);

private:
  // planner.cpp: which variables are used, and where they go
  void useProgram(const ProgramPtr &program, unsigned depth = 0);
  void useTensor(const poplar::Tensor &t);
  void useComputeSet(unsigned id);
  void useVariable(const Variable &v);
  void planImages();
  void planHostTensors();
  RunList runsOf(const poplar::Tensor &t) const;
  ElementRef elementOf(const poplar::Tensor &t) const;
  void addReads(const poplar::Tensor &t, const std::string &who, std::vector<Access> &out) const;
  void addWrites(const poplar::Tensor &t, std::vector<Access> &out) const;
  StepCost hostCost(std::size_t bytes) const;

  // plan_steps.cpp
  int planStep(const ProgramPtr &program);
  int newStep(const ProgramNode &node);
  void planCopy(const ProgramNode &node, Step &step);
  void planCrossReplicaCopy(const ProgramNode &node, Step &step);
  void planCodeCopy(const ProgramNode &node, Step &step);
  void planFpControl(const ProgramNode &node, Step &step);
  void planStream(const ProgramNode &node, Step &step);
  void chargeHostCopy(const poplar::Tensor &t, bool toDevice, Step &step);
  void planRemote(const ProgramNode &node, Step &step);
  void planHostCall(const ProgramNode &node, Step &step);
  void planTensorArgument(const ProgramNode &node, Step &step);
  void planBody(const ProgramNode &node, Step &step);
  void planExecute(const ProgramNode &node, Step &step);
  void planDecision(const ProgramNode &node, Step &step);
  void chargeCopy(const poplar::Tensor &src, const poplar::Tensor &dst, Step &step);
  std::string nameOfStep(const ProgramNode &node) const;

  // plan_memory.cpp
  void countVertex(const Vertex &vertex, const char *estimateSource);
  void countExchange(const ExchangeCost &exchange);
  void countHostCopy(const ExchangeCost &exchange);
  void countArrangement(unsigned tile, std::uint64_t runs);
  void planMemory(const std::vector<ProgramPtr> &programs);
  void findInterleaved();
  void placeTiles(const std::vector<LiveRange> &ranges, const std::vector<const ProgramNode *> &leaves);
  void nameLargest();

  std::shared_ptr<GraphCore> graph_;
  const Machine &machine_;
  std::shared_ptr<ExecutablePlan> plan_;
  MemoryTally tally_;
  std::unordered_set<const ProgramNode *> seenPrograms_;
  std::unordered_map<const ProgramNode *, int> steps_;
  std::vector<int> computeSetPlans_; // by compute set id, -1: not used
  std::vector<unsigned> usedComputeSets_;
  std::vector<bool> interleaved_; // by variable id

  friend class ComputeSetPlanner;
};

/// Copies on the tiles themselves.
struct Arrangement {
  explicit Arrangement(const Machine &m) : machine(m), bytes(m.numTiles()), further(m.numTiles()) {}
  const Machine &machine;
  std::vector<std::uint64_t> bytes, further; // by tile; cycles of pieces but the first
  void add(unsigned tile, const LocalShare &share) {
    const std::uint64_t each = machine.pieceCycles(share.bytes(), share.pieces(), share.areWords());
    further[tile] += (bytes[tile] == 0 ? share.pieces() - 1 : share.pieces()) * each;
    bytes[tile] += share.bytes();
  }
  std::uint64_t cycles(unsigned tile) const { return machine.copyCycles(bytes[tile], further[tile]); }
};

/// Adds what an exchange phase costs, with its sync: one within the IPUs, or one of all IPUs if data crosses between
/// them.
void chargeExchangeTo(StepCost &cost, const ExchangeCost &exchange, const Machine &machine);
/// The record of an exchange, for the profile.
ExchangeRecord recordOf(const ExchangeCost &exchange, const char *when);

/// Plans one compute set.
class ComputeSetPlanner {
public:
  ComputeSetPlanner(Planner &planner, unsigned id);
  ComputeSetPlan run();

private:
  struct EdgeSite {
    unsigned vertex;
    unsigned field;
    std::size_t row; // of an edge list, else npos
    const DaceIpuField *abi;
    unsigned tile;
    std::size_t at; // of the DaceIpuSpan in the vertex memory
    const poplar::Tensor *tensor;
  };
  struct Snapshot {
    const Variable *var;
    std::size_t begin;
    std::size_t end;
    std::size_t relocation;
  };

  std::vector<unsigned> orderedVertices() const;
  void collectWrites(unsigned vertex);
  void planVertex(unsigned vertex);
  void requireBound(unsigned vertex) const;
  void bindField(unsigned vertex, const FieldBinding &binding, std::size_t state);
  void bindValues(unsigned vertex, const FieldBinding &binding, std::size_t state);
  void bindRows(unsigned vertex, const FieldBinding &binding, std::size_t state);
  void bindEdge(const EdgeSite &site);
  void bindContiguous(const EdgeSite &site, const Variable *var, std::size_t offset);
  void bindGathered(const EdgeSite &site);
  void chargeEdge(const EdgeSite &site);
  void arrangeInput(const EdgeSite &site, const LocalShare &share, std::uint64_t runs);
  void recordAccesses(const EdgeSite &site);
  void placeSnapshots();
  void finishCosts();
  void chargeVertex(unsigned vertex, VertexCall &call);
  void countCode(const Vertex &vertex, VertexCall &call);
  void chargeTiles(const ExchangeCost &in, const ExchangeCost &out);
  void chargeExchange(const ExchangeCost &exchange, const char *when);
  void cutIntoChunks();
  void addToBatch(std::size_t call, bool isNew);
  std::size_t allocateVertexMemory(std::size_t bytes, std::size_t align);
  std::size_t allocateTemporary(std::size_t bytes);
  void setSpan(std::size_t at, std::size_t size);
  std::size_t relocate(std::size_t at, std::size_t target, Memory memory);
  std::string edgeName(const EdgeSite &site) const;

  Planner &planner_;
  const GraphCore &graph_;
  const Machine &machine_;
  ExecutablePlan &plan_;
  ComputeSetPlan result_;
  WriteSet writes_;
  ExchangePhase before_;
  ExchangePhase after_;
  Arrangement gather_, writeBack_;
  std::vector<unsigned> ordered_; // vertices by tile
  std::unordered_map<const View *, std::size_t> gathered_;
  std::unordered_map<std::string, std::size_t> codeCosts_; // by costKey
  std::vector<Snapshot> snapshots_;
  std::size_t temporary_ = 0;
};

} // namespace dace_ipu_sim
