// What an Engine executes: a graph and its programs turned into copies and calls on one block of memory.
//
// All positions are byte offsets into one of the three memories of an Engine: variables, vertices (their states, lists
// of rows, values) and temporaries (gathered edges, snapshots). Several Engines may share one plan.
#pragma once

#include "../core/graph_core.hpp"
#include "../machine/pair_traffic.hpp"

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

/// One exchange phase of a step.
struct ExchangeRecord {
  const char *when; // "before", "after", "copy", "host"
  std::uint64_t cycles = 0;
  std::uint64_t bytes = 0; // received by all tiles, or moved from and to the host
  std::uint64_t fragments = 0;
  std::uint64_t globalCycles = 0; // part of cycles
  std::uint64_t globalBytes = 0;  // between IPUs
  unsigned busiestTile = 0;
  std::uint64_t busiestReceived = 0; // its bytes
  std::uint64_t busiestSent = 0;
  std::size_t numPairs = 0;
  std::vector<TilePair> pairs;
};

/// Simulated cycles of one execution of a step and what they come from.
struct StepCost {
  std::uint64_t compute = 0;  // of the slowest tile, rearrangement included
  std::uint64_t exchange = 0; // exchange between IPUs included
  std::uint64_t sync = 0;
  std::uint64_t host = 0;
  std::uint64_t rearrange = 0;      // part of compute
  std::uint64_t preArrange = 0;     // of the slowest tile, before the exchange
  std::uint64_t postArrange = 0;    // after it
  std::uint64_t writeBack = 0;      // after the vertices
  std::uint64_t globalExchange = 0; // part of exchange
  std::uint64_t bytesExchanged = 0;
  std::uint64_t bytesRearranged = 0;
  std::uint64_t bytesHost = 0;
  std::uint64_t bytesGlobal = 0; // between IPUs
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

constexpr std::size_t npos = ~std::size_t(0);

constexpr unsigned workersOfMultiVertex = 6; // what numWorkers() says in codelets

/// One vertex to run.
struct VertexCall {
  const DaceIpuVertexType *type;
  std::uint64_t (*takeCost)();
  void (*setTile)(unsigned);
  unsigned tile;
  unsigned workers;
  std::size_t work; // connected elements, to share calls out evenly
  unsigned vertex;
  std::uint64_t elements; // of the widest edge
  std::uint64_t estimate; // by the planner
  std::uint64_t programs; // setPerfEstimate, 0 if there is none
  std::size_t code;       // index in ComputeSetPlan::codeCosts, or npos
  bool counts;            // the first of those with this index: counts for all
  bool countsEveryTime;   // because what decides about its cost depends on data
  bool codeDecides;       // its cost comes from the code
};

/// Calls of one type that follow one another.
struct VertexBatch {
  std::size_t begin;
  std::size_t end;
  bool counts; // of any of them
  bool countsEveryTime;
};

/// What the code of some vertices of a compute set costs is known once one of them has run.
struct CodeCost {
  bool everyTime; // because it depends on data
};

/// An edge, or a vector of values, of a vertex that runs in the checked mode.
struct CheckedEdge {
  std::size_t at; // of its DaceIpuSpan in the vertex memory
  unsigned field;
  std::size_t row; // of an edge list, else npos
  bool writable;
  poplar::Type type;
  ViewPtr view; // null for values
};

struct ComputeSetPlan {
  unsigned id;
  std::vector<VertexCall> calls;   // by tile
  std::vector<std::size_t> states; // of the calls, in the vertex memory
  std::vector<VertexBatch> batches;
  std::vector<ExchangeRecord> exchanges;
  std::vector<std::pair<unsigned, std::uint64_t>> temporaries; // bytes by tile, while it runs
  Copies before;                                               // snapshots and gathers: variables to temporaries
  Copies after;                                                // scatters: temporaries to variables
  std::vector<std::size_t> chunks; // boundaries in batches, between tiles; two entries mean: run in one thread
  StepCost cost; // without what comes from code: see CodeCosts
  std::vector<CodeCost> codeCosts;
  std::vector<std::pair<unsigned, std::uint64_t>> copyCycles; // rearrangement, by tile
  bool codeDecides = false;                                    // of any vertex
  std::vector<Access> reads;
  std::vector<Access> writes;
  std::vector<CheckedEdge> checkedEdges;    // of all vertices, in the checked mode
  std::vector<std::size_t> checkedEdgesOf; // the first one of every call, and an end
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
  std::vector<ExchangeRecord> exchanges;
  std::vector<std::pair<unsigned, std::uint64_t>> temporaries; // as of a compute set
  bool profiled = false;                                       // appears in the profile
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
  std::uint64_t stateBytes = 0;
};

/// Bytes by category, as Graphcore's PopVision names them. `temporary` are received operands and rearranged copies.
/// They share memory with each other and with the variables that are not always live: both count as at the time when
/// they take most together.
enum MemoryCategory {
  memVariables,
  memConstants,
  memVertexInstanceState,
  memVertexFieldData,
  memVectorListDescriptor,
  memCopyDescriptor,
  memHostExchangePacketHeader,
  memGlobalExchangePacketHeader,
  memStack,
  memControlCode,
  memVertexCode,
  memInternalExchangeCode,
  memHostExchangeCode,
  memGlobalExchangeCode,
  memTemporary,
  numMemoryCategories
};
/// Its key in the profile ("vertexCode") and its name in texts ("Vertex Code").
struct MemoryCategoryName {
  const char *key;
  const char *title;
  bool isCode; // must lie in region 0
};
extern const MemoryCategoryName memoryCategoryNames[numMemoryCategories];

/// Vectors are by tile.
struct TileMemory {
  std::vector<std::uint64_t> bytes[numMemoryCategories];
  std::vector<std::uint64_t> totals;   // the sum of the categories: without gaps
  std::vector<std::uint64_t> withGaps; // up to the last byte that is used
  std::vector<std::uint64_t> nonInterleaved, interleaved, overflowed;
  std::vector<std::uint64_t> notAlwaysLive; // of the totals: what shares memory
  unsigned maxTile = 0;                     // with gaps
  std::uint64_t maxBytes = 0;               // of that tile, with gaps
  std::uint64_t totalBytes = 0;             // of all tiles, with gaps
  std::vector<std::pair<std::string, std::uint64_t>> largestOfMaxTile;
  std::vector<std::pair<std::string, std::uint64_t>> temporariesOfMaxTile; // by the step that needs them
  std::vector<std::uint64_t> liveBytes; // not always live, over all tiles, by leaf program
  std::vector<std::string> leafNames;

  std::uint64_t sum(MemoryCategory c) const;
  std::size_t tilesOutOfMemory() const;
};

/// A variable or constant in the profile.
struct VariableUse {
  const Variable *var;
  bool alwaysLive;
  unsigned first, last; // leaf programs, if it is not always live
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

/// How much of the graph there was when it was compiled: a program may go on building it.
struct GraphExtent {
  std::size_t variables = 0, vertices = 0, computeSets = 0, initialValues = 0;
  std::size_t streams = 0, remoteBuffers = 0, hostFunctions = 0, functions = 0;
  std::vector<std::string> hostReads, hostWrites; // handles
};

struct ExecutablePlan {
  std::shared_ptr<GraphCore> graph; // kept alive: names, constants, types
  std::vector<ProgramPtr> sources;  // the programs as given
  GraphExtent extent;
  poplar::OptionFlags options;
  bool checkUninitialised = false;
  bool checkVertices = false;
  bool codeFirst = false;
  std::size_t listedPairs = 0; // pairs of tiles that the profile names for each exchange

  std::vector<std::size_t> variableOffsets; // by variable id; npos if no program uses it
  std::size_t variableBytes = 0;
  std::size_t temporaryBytes = 0;
  std::vector<std::uint8_t> vertexImage;
  std::vector<Relocation> relocations;
  std::vector<LoadImage> images;
  std::vector<std::size_t> replicaIndices; // offsets of the constants that hold the number of the replica

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
  std::vector<VariableUse> variables;
  TileMemory memory;
};

/// What is wrong with the memory of the plan, for graph_memory_allocation_error; empty if everything fits.
std::string overflowText(const ExecutablePlan &plan);

/// Checks the graph and plans its programs. Throws the errors that the README lists, except that running out of tile
/// memory is none here.
std::shared_ptr<const ExecutablePlan> makePlan(const std::shared_ptr<GraphCore> &graph,
                                               const std::vector<ProgramPtr> &programs,
                                               const poplar::OptionFlags &options);

} // namespace dace_ipu_sim
