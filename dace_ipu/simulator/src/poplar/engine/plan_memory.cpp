// Planner: what lies on every tile, by category.
//
// Constants of the model, from published memory reports of a small program on 1216 tiles: 3168 bytes of stack and 700
// bytes of control code a tile. Codelet code is not compiled for the machine here, so every vertex type costs a flat
// 512 bytes on the tiles that use it; published reports have 140 bytes to a few kilobytes.
#include "../core/types.hpp"
#include "planner.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <sstream>

namespace dace_ipu_sim {

const char *const memoryCategoryNames[numMemoryCategories] = {"variables",    "constants",  "vertexState",
                                                              "edgePointers", "vertexCode", "exchangeCode",
                                                              "controlCode",  "stack",      "temporary"};

namespace {

constexpr std::uint64_t stackBytes = 3168;
constexpr std::uint64_t controlCodeBytes = 700;
constexpr std::uint64_t codeBytesPerVertexType = 512;

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

} // namespace

MemoryTally::MemoryTally(unsigned n) : vertexState(n), edgePointers(n), vertexCode(n), exchangeCode(n), temporary(n) {}

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
  tally_.vertexState[vertex.tile] += f.state + f.values;
  tally_.edgePointers[vertex.tile] += f.pointers;
  std::vector<bool> &onTile = tally_.codeOnTile[vertex.type];
  onTile.resize(machine_.numTiles());
  if (!onTile[vertex.tile])
    tally_.vertexCode[vertex.tile] += codeBytesPerVertexType;
  onTile[vertex.tile] = true;
  VertexTypeUse &use = tally_.types[vertex.type];
  use.name = vertex.type->name;
  ++use.count;
  if (use.estimateSource.find(estimateSource) == std::string::npos)
    use.estimateSource += (use.estimateSource.empty() ? "" : ", ") + std::string(estimateSource);
  ++plan_->numVertices;
}

void Planner::tallyVariables() {
  for (const Variable &v : graph_->variables) {
    if (plan_->variableOffsets[v.id] == npos)
      continue;
    auto &bytes = plan_->memory.bytes[v.isConstant ? memConstants : memVariables];
    for (const Region &r : v.mapping.regions())
      bytes[r.tile] += (r.end - r.begin) * sizeOf(v.type);
  }
}

void Planner::planMemory() {
  TileMemory &m = plan_->memory;
  const unsigned n = machine_.numTiles();
  for (auto &bytes : m.bytes)
    bytes.assign(n, 0);
  tallyVariables();
  m.bytes[memVertexState] = std::move(tally_.vertexState);
  m.bytes[memEdgePointers] = std::move(tally_.edgePointers);
  m.bytes[memVertexCode] = std::move(tally_.vertexCode);
  m.bytes[memExchangeCode] = std::move(tally_.exchangeCode);
  m.bytes[memTemporary] = std::move(tally_.temporary);
  m.bytes[memControlCode].assign(n, controlCodeBytes);
  m.bytes[memStack].assign(n, stackBytes);
  m.totals.assign(n, 0);
  for (const auto &bytes : m.bytes)
    for (unsigned t = 0; t < n; ++t)
      m.totals[t] += bytes[t];
  for (unsigned t = 0; t < n; ++t) {
    m.totalBytes += m.totals[t];
    if (m.totals[t] > m.totals[m.maxTile])
      m.maxTile = t;
  }
  m.maxBytes = m.totals[m.maxTile];
  nameLargest();
  for (const auto &type : tally_.types)
    plan_->vertexTypes.push_back(type.second);
  std::sort(plan_->vertexTypes.begin(), plan_->vertexTypes.end(),
            [](const VertexTypeUse &a, const VertexTypeUse &b) { return a.name < b.name; });
}

void Planner::nameLargest() {
  constexpr std::size_t listed = 10;
  auto &largest = plan_->memory.largestOfMaxTile;
  for (const Variable &v : graph_->variables) {
    if (plan_->variableOffsets[v.id] == npos)
      continue;
    std::uint64_t bytes = 0;
    for (const Region &r : v.mapping.regions())
      bytes += r.tile == plan_->memory.maxTile ? (r.end - r.begin) * sizeOf(v.type) : 0;
    if (bytes > 0)
      largest.emplace_back(v.name, bytes);
  }
  std::stable_sort(largest.begin(), largest.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  largest.resize(std::min(largest.size(), listed));
}

std::string overflowText(const ExecutablePlan &plan) {
  const TileMemory &m = plan.memory;
  const std::uint64_t available = plan.graph->target.getBytesPerTile();
  if (m.maxBytes <= available)
    return "";
  const auto full = std::count_if(m.totals.begin(), m.totals.end(), [&](std::uint64_t b) { return b > available; });
  std::ostringstream text;
  text << "Out of memory on tile " << m.maxTile << ": " << m.maxBytes << " bytes used but tiles only have " << available
       << " bytes of memory (" << full << " of " << m.totals.size() << " tiles are out of memory).";
  std::vector<std::pair<std::uint64_t, std::string>> categories;
  for (std::size_t c = 0; c < numMemoryCategories; ++c)
    categories.emplace_back(m.bytes[c][m.maxTile], memoryCategoryNames[c]);
  std::stable_sort(categories.begin(), categories.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  text << " Largest categories:";
  for (std::size_t i = 0; i < 3; ++i)
    text << (i ? ", " : " ") << categories[i].second << ' ' << categories[i].first;
  text << ". Largest variables:";
  for (std::size_t i = 0; i < m.largestOfMaxTile.size() && i < 5; ++i)
    text << (i ? ", " : " ") << '\'' << m.largestOfMaxTile[i].first << "' " << m.largestOfMaxTile[i].second;
  return text.str() + ".";
}

} // namespace dace_ipu_sim
