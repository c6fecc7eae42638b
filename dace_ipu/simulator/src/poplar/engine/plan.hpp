// What an Engine executes: a graph and its programs turned into copies and calls on one block of memory.
//
// All positions are byte offsets into one of the three memories of an Engine: variables, vertices (their states, lists
// of rows, values) and temporaries (gathered edges, snapshots). Several Engines may share one plan.
#pragma once

#include "../core/graph_core.hpp"

#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dace_ipu_sim {

/// Moves `count` pieces of `size` bytes.
struct StridedCopy {
  std::size_t dst;
  std::size_t src;
  std::ptrdiff_t dstStep;
  std::ptrdiff_t srcStep;
  std::size_t count;
  std::size_t size;
};
using Copies = std::vector<StridedCopy>;

/// Simulated cycles of one execution of a step and what they come from.
struct StepCost {
  std::uint64_t compute = 0; // of the slowest tile, rearrangement included
  std::uint64_t exchange = 0;
  std::uint64_t sync = 0;
  std::uint64_t host = 0;
  std::uint64_t rearrange = 0; // part of compute
  std::uint64_t bytesExchanged = 0;
  std::uint64_t bytesRearranged = 0;
  std::uint64_t bytesHost = 0;
  std::size_t tilesUsed = 0;
  double balance = 0; // mean busy cycles of all tiles over those of the slowest
  std::size_t vertices = 0;

  std::uint64_t total() const { return compute + exchange + sync + host; }
};

/// Elements of a variable that a step reads or writes, for the check of uninitialised reads.
struct Access {
  const Variable *var;
  std::size_t begin;
  std::size_t end;
  std::string who; // empty for writes
};

constexpr std::size_t noCodeCost = ~std::size_t(0);

/// One vertex to run.
struct VertexCall {
  const DaceIpuVertexType *type;
  std::uint64_t (*takeCost)();
  void (*setTile)(unsigned);
  std::size_t state; // in the vertex memory
  unsigned tile;
  unsigned workers;
  std::size_t work;         // connected elements, to share calls out evenly
  std::uint64_t elements;   // of the widest edge
  std::uint64_t estimate;   // by the planner
  std::uint64_t programs;   // setPerfEstimate, 0 if there is none
  std::size_t code;         // index in ComputeSetPlan::codeCosts, or noCodeCost
  bool counts;              // the first of those with this index: counts for all
  bool codeDecides;         // its cost comes from the code
};

/// What the code of some vertices of a compute set costs is known once one of them has run.
struct CodeCost {
  bool everyTime; // because it depends on data
};

struct ComputeSetPlan {
  unsigned id;
  std::vector<VertexCall> calls;   // by tile
  Copies before;                   // snapshots and gathers: variables to temporaries
  Copies after;                    // scatters: temporaries to variables
  std::vector<std::size_t> chunks; // boundaries in calls, between tiles; two entries mean: run in one thread
  StepCost cost; // without what comes from code: see CodeCosts
  std::vector<CodeCost> codeCosts;
  std::vector<std::pair<unsigned, std::uint64_t>> copyCycles; // rearrangement, by tile
  bool codeDecides = false;                                    // of any vertex
  std::vector<Access> reads;
  std::vector<Access> writes;
};

/// A value that control flow reads: always one element.
struct ElementRef {
  std::size_t offset = 0;
  poplar::Type type;
};

struct Step {
  ProgramKind kind;
  std::string name;
  std::vector<int> children; // indices of steps; -1 is an empty program
  std::vector<std::int32_t> values;
  unsigned id = 0; // compute set plan, stream, remote buffer, host function, cycle counter
  unsigned count = 0;
  Copies copies;                   // within variables, or between variables and the host's buffer
  Copies staging;                  // Copy with overlapping sides: first into temporaries, whence `copies` takes it
  ElementRef element;              // predicate, control, result
  std::vector<ElementRef> offsets; // of remote buffer copies
  std::vector<Copies> arguments;   // of host calls, inputs first; and the tensor of PrintTensor and Abort
  std::vector<std::size_t> argumentBytes;
  poplar::Type type; // of the tensor of PrintTensor
  Shape shape;
  std::string text;
  poplar::PrintTensorFmt format;
  std::size_t bytes = 0; // moved by a stream copy, or of one remote block
  StepCost cost;
  bool profiled = false; // appears in the profile
  std::vector<Access> reads;
  std::vector<Access> writes;
  std::vector<Access> forgets; // WriteUndef
};

enum class Memory { Variables, Vertices, Temporaries };

/// A pointer in the vertex memory.
struct Relocation {
  std::size_t at;
  std::size_t target;
  Memory memory;
};

/// A vertex type in the profile.
struct VertexTypeUse {
  std::string name;
  std::size_t count = 0;
  std::string estimateSource;
};

/// Bytes of one tile by category, in the order of memoryCategoryNames.
constexpr std::size_t numMemoryCategories = 9;
extern const char *const memoryCategoryNames[numMemoryCategories];
enum MemoryCategory {
  memVariables,
  memConstants,
  memVertexState,
  memEdgePointers,
  memVertexCode,
  memExchangeCode,
  memControlCode,
  memStack,
  memTemporary
};

struct TileMemory {
  std::vector<std::uint64_t> bytes[numMemoryCategories]; // by tile
  unsigned maxTile = 0;
  std::uint64_t maxBytes = 0;
  std::uint64_t totalBytes = 0;
  std::vector<std::uint64_t> totals; // by tile
  std::vector<std::pair<std::string, std::uint64_t>> largestOfMaxTile;
};

/// An initial value, or the bytes of a constant.
struct LoadImage {
  const std::vector<std::uint8_t> *bytes;
  Copies copies; // from bytes into the variables
};

struct HostTensor {
  std::string handle;
  std::size_t bytes;
  Copies copies; // between variables and the host's buffer
  std::vector<Access> accesses;
  StepCost cost;
};

struct ExecutablePlan {
  std::shared_ptr<GraphCore> graph; // kept alive: names, constants, types
  poplar::OptionFlags options;
  bool checkUninitialised = false;
  bool codeFirst = false;

  std::vector<std::size_t> variableOffsets; // by variable id; npos if no program uses it
  std::size_t variableBytes = 0;
  std::size_t temporaryBytes = 0;
  std::vector<std::uint8_t> vertexImage;
  std::vector<Relocation> relocations;
  std::vector<LoadImage> images;

  std::vector<ComputeSetPlan> computeSets;
  std::vector<Step> steps;
  std::vector<int> programs; // step of each program, -1 if empty
  std::vector<HostTensor> hostReads;
  std::vector<HostTensor> hostWrites;
  std::size_t cycleCounters = 0;

  std::size_t numVariables = 0;
  std::size_t numVertices = 0;
  std::size_t numEdges = 0;
  std::vector<VertexTypeUse> vertexTypes;
  TileMemory memory;
};

constexpr std::size_t npos = ~std::size_t(0);

/// What is wrong with the memory of the plan, for graph_memory_allocation_error; empty if everything fits.
std::string overflowText(const ExecutablePlan &plan);

/// Checks the graph and plans its programs. Throws the errors that the README lists, except that running out of tile
/// memory is none here.
std::shared_ptr<const ExecutablePlan> makePlan(const std::shared_ptr<GraphCore> &graph,
                                               const std::vector<ProgramPtr> &programs,
                                               const poplar::OptionFlags &options);

} // namespace dace_ipu_sim
