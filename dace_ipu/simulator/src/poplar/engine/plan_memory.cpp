// Planner: what lies on every tile, by category, and where.
//
// Constants of the model, from published memory reports of a small program on 1216 tiles: 3168 bytes of stack (six
// workers of 512 and a supervisor of 96) and 700 bytes of control code a tile with about ten programs; 289 bytes of
// host exchange code for three copies. Headers of host packets: 12.1 kB for 3.2 MB in the profile of a tutorial.
// Codelet code is not compiled for the machine here, so every vertex type costs a flat 512 bytes on the tiles that use
// it; published reports have 140 bytes to a few kilobytes. An exchange takes three instructions for every received
// piece and one for every 64 words sent.
#include "../core/types.hpp"
#include "../machine/tile_placement.hpp"
#include "engine_options.hpp"
#include "planner.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace dace_ipu_sim {

const MemoryCategoryName memoryCategoryNames[numMemoryCategories] = {
    {"variables", "Variables", false},
    {"constants", "Constants", false},
    {"vertexInstanceState", "Vertex Instances", false},
    {"vertexFieldData", "Vertex Field Data", false},
    {"vectorListDescriptor", "VectorList Descriptors", false},
    {"copyDescriptor", "Copy Descriptors", false},
    {"hostExchangePacketHeader", "Host Exchange Packet Headers", false},
    {"globalExchangePacketHeader", "Global Exchange Packet Headers", false},
    {"stack", "Stack", false},
    {"controlCode", "Control Code", true},
    {"vertexCode", "Vertex Code", true},
    {"internalExchangeCode", "Internal Exchange Code", true},
    {"hostExchangeCode", "Host Exchange Code", true},
    {"globalExchangeCode", "Global Exchange Code", true},
    {"temporary", "Temporaries", false}};

namespace {

constexpr std::uint64_t workerStackBytes = 512;
constexpr std::uint64_t supervisorStackBytes = 96;
constexpr std::uint64_t controlCodeBytes = 500;
constexpr std::uint64_t controlCodeBytesPerStep = 20;
constexpr std::uint64_t codeBytesPerVertexType = 512;
constexpr std::uint64_t copyCodeBytes = 140;
constexpr std::uint64_t bytesPerFragment = 12;
constexpr std::uint64_t bytesSentPerInstruction = 64 * 4;
constexpr std::uint64_t hostCopyCodeBytes = 96;
constexpr std::uint64_t packetHeaderBytes = 4;
constexpr std::uint64_t copyDescriptorBytes = 8;

std::uint64_t pointerBytes(std::uint8_t layout) {
  switch (layout) {
  case DACE_IPU_SPAN:
    return 8;
  case DACE_IPU_SCALED_PTR32:
  case DACE_IPU_SCALED_PTR64:
  case DACE_IPU_SCALED_PTR128:
    return 2;
  default:
    return 4;
  }
}

std::uint64_t stackBytes(const poplar::OptionFlags &options, const Machine &machine) {
  return machine.workers * numberOf(options, "target.workerStackSizeInBytes", workerStackBytes) +
         numberOf(options, "target.supervisorStackSizeInBytes", supervisorStackBytes);
}

std::uint64_t bytesOn(const Variable &v, unsigned tile) {
  std::uint64_t bytes = 0;
  for (const Region &r : v.mapping.regions())
    bytes += r.tile == tile ? (r.end - r.begin) * sizeOf(v.type) : 0;
  return bytes;
}

// Items of all tiles, those of a tile together.
struct ItemsByTile {
  std::vector<std::size_t> begin; // one more than tiles
  std::vector<MemoryItem> items;
};

ItemsByTile sortByTile(const std::vector<std::pair<unsigned, MemoryItem>> &all, unsigned tiles) {
  ItemsByTile sorted{std::vector<std::size_t>(tiles + 1), std::vector<MemoryItem>(all.size())};
  for (const auto &i : all)
    ++sorted.begin[i.first + 1];
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  std::vector<std::size_t> next(sorted.begin.begin(), sorted.begin.end() - 1);
  for (const auto &i : all)
    sorted.items[next[i.first]++] = i.second;
  return sorted;
}

} // namespace

std::uint64_t TileMemory::sum(MemoryCategory c) const {
  return std::accumulate(bytes[c].begin(), bytes[c].end(), std::uint64_t(0));
}

std::size_t TileMemory::tilesOutOfMemory() const {
  return static_cast<std::size_t>(
      std::count_if(overflowed.begin(), overflowed.end(), [](std::uint64_t b) { return b > 0; }));
}

MemoryTally::MemoryTally(unsigned n) : copyCodeOnTile(n) {
  for (auto &b : bytes)
    b.resize(n);
}

VertexFootprint footprintOf(const Vertex &vertex) {
  VertexFootprint f;
  f.state = 4; // pointer to the code
  for (const FieldBinding &b : vertex.bindings) {
    const DaceIpuField &abi = vertex.type->abi->fields[b.field];
    if (abi.kind == DACE_IPU_STATE) {
      f.state += b.bytes.size();
      continue;
    }
    f.state += abi.kind == DACE_IPU_SCALAR_EDGE ? 4 : pointerBytes(abi.outer_layout);
    f.values += b.bytes.size();
    const std::uint64_t row = abi.kind == DACE_IPU_SCALAR_EDGE_LIST ? 4 : pointerBytes(abi.inner_layout);
    f.pointers += b.rows.size() * row;
  }
  f.state = (f.state + 3) / 4 * 4;
  return f;
}

void Planner::countVertex(const Vertex &vertex, const char *estimateSource) {
  const VertexFootprint f = footprintOf(vertex);
  tally_.bytes[memVertexInstanceState][vertex.tile] += f.state;
  tally_.bytes[memVertexFieldData][vertex.tile] += f.values;
  tally_.bytes[memVectorListDescriptor][vertex.tile] += f.pointers;
  std::vector<bool> &onTile = tally_.codeOnTile[vertex.type];
  onTile.resize(machine_.numTiles());
  if (!onTile[vertex.tile])
    tally_.bytes[memVertexCode][vertex.tile] += codeBytesPerVertexType;
  onTile[vertex.tile] = true;
  VertexTypeUse &use = tally_.types[vertex.type];
  use.name = vertex.type->name;
  ++use.count;
  use.stateBytes += f.state + f.values + f.pointers;
  if (use.estimateSource.find(estimateSource) == std::string::npos)
    use.estimateSource += (use.estimateSource.empty() ? "" : ", ") + std::string(estimateSource);
  ++plan_->numVertices;
}

void Planner::countExchange(const ExchangeCost &exchange) {
  const bool global = exchange.globalBytes > 0;
  auto &code = tally_.bytes[global ? memGlobalExchangeCode : memInternalExchangeCode];
  for (std::size_t t = 0; t < exchange.tiles.size(); ++t) {
    const TileTraffic &traffic = exchange.tiles[t];
    code[t] += bytesPerFragment * traffic.fragments +
               4 * ((traffic.sent + bytesSentPerInstruction - 1) / bytesSentPerInstruction);
    if (global)
      tally_.bytes[memGlobalExchangePacketHeader][t] +=
          packetHeaderBytes * ((traffic.sent + machine_.linkPacketBytes - 1) / machine_.linkPacketBytes);
  }
}

void Planner::countHostCopy(const ExchangeCost &exchange) {
  for (std::size_t t = 0; t < exchange.tiles.size(); ++t) {
    const TileTraffic &traffic = exchange.tiles[t];
    if (traffic.packets == 0)
      continue;
    tally_.bytes[memHostExchangeCode][t] += hostCopyCodeBytes + bytesPerFragment * traffic.fragments;
    tally_.bytes[memHostExchangePacketHeader][t] += packetHeaderBytes * traffic.packets;
  }
}

void Planner::countArrangement(unsigned tile, std::uint64_t runs) {
  tally_.bytes[memCopyDescriptor][tile] += copyDescriptorBytes * runs;
  if (!tally_.copyCodeOnTile[tile])
    tally_.bytes[memVertexCode][tile] += copyCodeBytes;
  tally_.copyCodeOnTile[tile] = true;
}

// Variables that some field with interleaved memory is connected to.
void Planner::findInterleaved() {
  const auto mark = [&](const poplar::Tensor &t) {
    forEachVariable(*t.view(), [&](const Variable &v) { interleaved_[v.id] = true; });
  };
  for (const Vertex &vertex : graph_->vertices)
    for (const FieldBinding &b : vertex.bindings) {
      if (!vertex.type->abi->fields[b.field].interleaved)
        continue;
      if (b.edge.valid())
        mark(b.edge);
      for (const poplar::Tensor &row : b.rows)
        if (row.valid())
          mark(row);
    }
}

void Planner::planMemory(const std::vector<ProgramPtr> &programs) {
  TileMemory &m = plan_->memory;
  const unsigned n = machine_.numTiles();
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    m.bytes[c] = std::move(tally_.bytes[c]);
  m.bytes[memStack].assign(n, stackBytes(plan_->options, machine_));
  m.bytes[memControlCode].assign(n, controlCodeBytes + controlCodeBytesPerStep * plan_->steps.size());
  Liveness liveness(*graph_);
  for (const ProgramPtr &p : programs)
    liveness.addProgram(p);
  findInterleaved();
  placeTiles(liveness.finish(), liveness.leaves());
  for (unsigned t = 0; t < n; ++t) {
    m.totalBytes += m.withGaps[t];
    if (std::make_pair(m.overflowed[t], m.withGaps[t]) > std::make_pair(m.overflowed[m.maxTile], m.withGaps[m.maxTile]))
      m.maxTile = t;
  }
  m.maxBytes = m.withGaps[m.maxTile];
  nameLargest();
  for (const auto &type : tally_.types)
    plan_->vertexTypes.push_back(type.second);
  std::sort(plan_->vertexTypes.begin(), plan_->vertexTypes.end(),
            [](const VertexTypeUse &a, const VertexTypeUse &b) { return a.name < b.name; });
}

namespace {

/// Collects what lies on the tiles, and lays it out.
class TileFiller {
public:
  TileFiller(const Machine &machine, std::size_t leaves)
      : machine_(machine), tiles_(machine.numTiles(), TilePlacement(machine)), onTile_(machine.numTiles()),
        begins_(leaves + 1), ends_(leaves + 1) {}

  void addVariable(const Variable &v, const LiveRange &range, bool interleaved, TileMemory &m);
  void addItem(unsigned tile, const MemoryItem &item) {
    items_.emplace_back(tile, item);
    begins_[item.first] += item.bytes;
    ends_[item.last] += item.bytes;
  }
  std::vector<std::uint64_t> liveBytes() const;
  void layOut(TileMemory &m);

private:
  void layOut(unsigned tile, TileMemory &m);

  const Machine &machine_;
  std::vector<TilePlacement> tiles_;
  std::vector<std::pair<unsigned, MemoryItem>> items_;
  std::vector<std::uint64_t> onTile_; // of one variable
  std::vector<std::uint64_t> begins_, ends_;
};

void TileFiller::addVariable(const Variable &v, const LiveRange &range, bool interleaved, TileMemory &m) {
  std::vector<unsigned> used;
  for (const Region &r : v.mapping.regions()) {
    if (onTile_[r.tile] == 0)
      used.push_back(r.tile);
    onTile_[r.tile] += (r.end - r.begin) * sizeOf(v.type);
  }
  for (const unsigned t : used) {
    if (range.always) {
      tiles_[t].addAlways(onTile_[t], interleaved);
      m.bytes[v.isConstant ? memConstants : memVariables][t] += onTile_[t];
    } else {
      addItem(t, {onTile_[t], range.first, range.last, interleaved, true});
    }
    onTile_[t] = 0;
  }
}

std::vector<std::uint64_t> TileFiller::liveBytes() const {
  std::vector<std::uint64_t> live;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
    live.push_back(bytes += begins_[i]);
    bytes -= ends_[i];
  }
  return live;
}

void TileFiller::layOut(TileMemory &m) {
  const unsigned n = machine_.numTiles();
  const ItemsByTile sorted = sortByTile(items_, n);
  for (auto *list : {&m.totals, &m.withGaps, &m.nonInterleaved, &m.interleaved, &m.overflowed, &m.notAlwaysLive})
    list->resize(n);
  for (unsigned t = 0; t < n; ++t) {
    for (std::size_t i = sorted.begin[t]; i < sorted.begin[t + 1]; ++i)
      tiles_[t].addItem(sorted.items[i]);
    layOut(t, m);
  }
}

void TileFiller::layOut(unsigned t, TileMemory &m) {
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    if (memoryCategoryNames[c].isCode)
      tiles_[t].addCode(m.bytes[c][t]);
    else if (c != memVariables && c != memConstants)
      tiles_[t].addAlways(m.bytes[c][t], false);
  const TileLayout layout = tiles_[t].finish();
  m.bytes[memVariables][t] += layout.peakVariables;
  m.bytes[memTemporary][t] = layout.peak - layout.peakVariables;
  m.notAlwaysLive[t] = layout.peak;
  m.withGaps[t] = layout.end;
  m.nonInterleaved[t] = layout.nonInterleaved;
  m.interleaved[t] = layout.interleaved;
  m.overflowed[t] = layout.overflowed;
  for (const auto &bytes : m.bytes)
    m.totals[t] += bytes[t];
}

} // namespace

void Planner::placeTiles(const std::vector<LiveRange> &ranges, const std::vector<const ProgramNode *> &leaves) {
  TileMemory &m = plan_->memory;
  TileFiller filler(machine_, leaves.size());
  for (const Variable &v : graph_->variables) {
    if (plan_->variableOffsets[v.id] == npos)
      continue;
    const LiveRange &range = ranges[v.id];
    plan_->variables.push_back({&v, range.always, range.first, range.last});
    filler.addVariable(v, range, interleaved_[v.id], m);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto at = static_cast<unsigned>(i);
    const Step &step = plan_->steps[static_cast<std::size_t>(steps_.at(leaves[i]))];
    const bool executes = step.kind == ProgramKind::Execute;
    m.leafNames.push_back(step.name);
    for (const auto &t : executes ? plan_->computeSets[step.id].temporaries : step.temporaries)
      filler.addItem(t.first, {t.second, at, at, false, false});
  }
  m.liveBytes = filler.liveBytes();
  filler.layOut(m);
}

namespace {

using NamedBytes = std::vector<std::pair<std::string, std::uint64_t>>;

void keepLargest(NamedBytes &all) {
  constexpr std::size_t listed = 10;
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  all.resize(std::min(all.size(), listed));
}

void list(std::ostream &text, const char *what, const NamedBytes &all, std::size_t most) {
  text << ". " << what << ':';
  for (std::size_t i = 0; i < all.size() && i < most; ++i)
    text << (i ? ", " : " ") << '\'' << all[i].first << "' " << all[i].second;
}

} // namespace

void Planner::nameLargest() {
  TileMemory &m = plan_->memory;
  for (const VariableUse &use : plan_->variables) {
    const std::uint64_t bytes = bytesOn(*use.var, m.maxTile);
    if (bytes > 0)
      m.largestOfMaxTile.emplace_back(use.var->name, bytes);
  }
  for (const Step &step : plan_->steps) {
    const bool executes = step.kind == ProgramKind::Execute;
    for (const auto &t : executes ? plan_->computeSets[step.id].temporaries : step.temporaries)
      if (t.first == m.maxTile && t.second > 0)
        m.temporariesOfMaxTile.emplace_back(step.name, t.second);
  }
  keepLargest(m.largestOfMaxTile);
  keepLargest(m.temporariesOfMaxTile);
}

std::string overflowText(const ExecutablePlan &plan) {
  const TileMemory &m = plan.memory;
  if (m.overflowed.empty() || m.overflowed[m.maxTile] == 0)
    return "";
  const Machine &machine = plan.graph->target.machine();
  std::ostringstream text;
  text << "Out of memory on tile " << m.maxTile << ": " << m.maxBytes << " bytes used but tiles only have "
       << machine.bytesPerTile << " bytes of memory (" << m.tilesOutOfMemory() << " of " << m.totals.size()
       << " tiles are out of memory). " << m.overflowed[m.maxTile] << " bytes do not fit.";
  std::vector<std::pair<std::uint64_t, const char *>> categories;
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    categories.emplace_back(m.bytes[c][m.maxTile], memoryCategoryNames[c].key);
  std::stable_sort(categories.begin(), categories.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  text << " Largest categories:";
  for (std::size_t i = 0; i < 3; ++i)
    text << (i ? ", " : " ") << categories[i].second << ' ' << categories[i].first;
  list(text, "Largest variables", m.largestOfMaxTile, 5);
  if (!m.temporariesOfMaxTile.empty())
    list(text, "Largest temporaries, by step", m.temporariesOfMaxTile, 3);
  return text.str() + ".";
}

} // namespace dace_ipu_sim
