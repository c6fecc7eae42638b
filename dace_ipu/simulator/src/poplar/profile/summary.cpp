// The text report, in the order in which Poplar prints it.
#include "../engine/engine_core.hpp"
#include "../machine/machine.hpp"
#include "profile.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace dace_ipu_sim {

namespace {

// 1234567 as 1,234,567
std::string grouped(std::uint64_t n) {
  std::string s = std::to_string(n);
  for (std::size_t at = s.size(); at > 3;)
    s.insert(at -= 3, ",");
  return s;
}

std::string microseconds(std::uint64_t cycles, double clock) {
  std::ostringstream os;
  os << std::fixed << std::setprecision(1) << static_cast<double>(cycles) / clock * 1e6 << " us";
  return os.str();
}

std::string percent(double part) {
  std::ostringstream os;
  os << std::fixed << std::setprecision(1) << 100 * part << "%";
  return os.str();
}

void line(std::ostream &os, const std::string &name, const std::string &value) {
  os << "  " << std::left << std::setw(32) << name + ":" << value << '\n';
}

void writeTarget(const Machine &m, std::ostream &os) {
  std::ostringstream clock;
  clock << m.clock / 1e6 << " MHz";
  os << "Target:\n";
  line(os, "Type", m.marketName + " (" + poplar::toString(m.type) + ", simulated)");
  line(os, "Number of IPUs", grouped(m.numIPUs));
  line(os, "Tiles per IPU", grouped(m.tilesPerIPU));
  line(os, "Total Tiles", grouped(m.numTiles()));
  line(os, "Memory Per-Tile", grouped(m.bytesPerTile) + " B");
  line(os, "Total Memory", grouped(std::uint64_t(m.bytesPerTile) * m.numTiles()) + " B");
  line(os, "Clock Speed (approx)", clock.str());
  line(os, "Number of Replicas", "1");
}

void writeGraph(const ExecutablePlan &plan, std::ostream &os) {
  os << "\nGraph:\n";
  line(os, "Number of compute sets", grouped(plan.computeSets.size()));
  line(os, "Number of edges", grouped(plan.numEdges));
  line(os, "Number of variables", grouped(plan.numVariables));
  line(os, "Number of vertices", grouped(plan.numVertices));
}

void writeMemory(const ExecutablePlan &plan, std::ostream &os) {
  const TileMemory &m = plan.memory;
  os << "\nMemory Usage:\n";
  line(os, "Total", grouped(m.totalBytes) + " B");
  for (std::size_t c = 0; c < numMemoryCategories; ++c) {
    std::uint64_t sum = 0;
    for (const std::uint64_t b : m.bytes[c])
      sum += b;
    line(os, std::string("  ") + memoryCategoryNames[c], grouped(sum) + " B");
  }
  line(os, "Maximum on a tile", grouped(m.maxBytes) + " B on tile " + std::to_string(m.maxTile));
  const std::uint64_t available = plan.graph->target.getBytesPerTile();
  const auto full = std::count_if(m.totals.begin(), m.totals.end(), [&](std::uint64_t b) { return b > available; });
  if (full > 0)
    os << "  " << full << " tile(s) out of memory\n";
}

void writeLargest(const TileMemory &m, std::ostream &os) {
  os << "\nLargest variables of tile " << m.maxTile << ":\n";
  for (const auto &v : m.largestOfMaxTile)
    line(os, v.first, grouped(v.second) + " B");
}

void writeExecution(const EngineCore &engine, std::ostream &os) {
  const CycleTotals c = totalsOf(engine);
  const double clock = engine.plan().graph->target.machine().clock;
  const auto share = [&](std::uint64_t part) {
    return grouped(part) + " (" + percent(c.total() ? static_cast<double>(part) / static_cast<double>(c.total()) : 0) +
           ")";
  };
  os << "\nExecution:\n";
  line(os, "Total cycles", grouped(c.total()) + " (approx " + microseconds(c.total(), clock) + ")");
  line(os, "  Compute cycles", share(c.compute));
  line(os, "  Exchange cycles", share(c.exchange));
  line(os, "  Host cycles", share(c.host));
  line(os, "  Sync cycles", share(c.sync));
}

std::string rounded(double value) {
  std::ostringstream os;
  os << std::fixed << std::setprecision(2) << value;
  return os.str();
}

void writeVertexTypes(const EngineCore &engine, std::ostream &os) {
  os << "\nVertices by type:\n";
  const std::map<std::string, VertexTypeCycles> cycles = vertexTypeCycles(engine);
  for (const VertexTypeUse &t : engine.plan().vertexTypes) {
    const VertexTypeCycles &c = cycles.at(t.name);
    std::string text = grouped(t.count) + " instances, " + rounded(c.used.mean()) + " from " + t.estimateSource;
    if (c.elements > 0)
      text += ", " + rounded(static_cast<double>(c.used.sum) / static_cast<double>(c.elements)) + " slots an element";
    if (c.code.count > 0 && c.programs.count > 0)
      text += " (code " + rounded(c.code.mean()) + ", setPerfEstimate " + rounded(c.programs.mean()) + ")";
    line(os, t.name, text);
  }
}

void writeSteps(const EngineCore &engine, std::ostream &os) {
  os << "\nExecution steps (cycles of all executions):\n";
  const auto &steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].profiled)
      continue;
    const std::uint64_t n = engine.executions()[i];
    const StepCost &c = engine.costOf(steps[i]);
    os << "  " << kindName(steps[i].kind) << " '" << steps[i].name << "': " << n << " times, compute "
       << grouped(engine.computeCycles()[i]) << ", exchange " << grouped(n * c.exchange) << ", sync " << grouped(n * c.sync)
       << ", host " << grouped(n * c.host);
    if (c.vertices > 0)
      os << ", " << c.vertices << " vertices on " << c.tilesUsed << " tiles, balance " << percent(c.balance);
    os << '\n';
  }
}

} // namespace

void writeSummary(const EngineCore &engine, std::ostream &os, bool executionSteps, bool variableStorage) {
  const ExecutablePlan &plan = engine.plan();
  const std::ios_base::fmtflags flags = os.flags();
  writeTarget(plan.graph->target.machine(), os);
  writeGraph(plan, os);
  writeMemory(plan, os);
  if (variableStorage)
    writeLargest(plan.memory, os);
  if (engine.runs() > 0) {
    writeExecution(engine, os);
    writeVertexTypes(engine, os);
    if (executionSteps)
      writeSteps(engine, os);
  }
  os.flags(flags);
}

} // namespace dace_ipu_sim
