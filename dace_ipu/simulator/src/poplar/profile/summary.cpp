// The text of printProfileSummary: sections, order and wording follow the reports that Poplar is publicly known to
// print.
#include "../engine/engine_core.hpp"
#include "../machine/machine.hpp"
#include "profile.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
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

// With one digit after the point.
std::string grouped(double x) {
  const auto tenths = static_cast<std::uint64_t>(x * 10 + 0.5);
  return grouped(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string kilobytes(std::uint64_t bytes) {
  return bytes < (std::uint64_t(1) << 20) ? grouped(static_cast<double>(bytes) / 1024) + " kB"
                                          : grouped(static_cast<double>(bytes) / 1024 / 1024) + " MB";
}

std::string percent(double part, double whole) { return grouped(whole > 0 ? 100 * part / whole : 0.0) + "%"; }

std::string inBytes(std::uint64_t n) { return grouped(n) + " B"; }

/// Lines "name: value" whose values end in one column.
class Table {
public:
  Table(std::ostream &os, unsigned indent, unsigned width) : os_(os), indent_(indent), width_(width) {}
  void operator()(const std::string &name, const std::string &value) const {
    os_ << std::string(indent_, ' ') << std::left << std::setw(static_cast<int>(width_)) << name + ":" << std::right
        << value << '\n';
  }

private:
  std::ostream &os_;
  unsigned indent_, width_;
};

void writeTarget(const Machine &m, std::ostream &os) {
  const Table line(os, 2, 24);
  const std::string perTile = kilobytes(m.bytesPerTile), all = kilobytes(std::uint64_t(m.bytesPerTile) * m.numTiles());
  os << "Target:\n";
  line("Type", m.marketName + " (" + poplar::toString(m.type) + ", simulated)");
  line("Number of IPUs", grouped(std::uint64_t(m.numIPUs)));
  line("Tiles per IPU", grouped(std::uint64_t(m.tilesPerIPU)));
  line("Total Tiles", grouped(std::uint64_t(m.numTiles())));
  line("Memory Per-Tile", perTile);
  line("Total Memory", all);
  line("Clock Speed (approx)", grouped(m.clock / 1e6) + " MHz");
  line("Number of Replicas", "1");
  line("IPUs per Replica", grouped(std::uint64_t(m.numIPUs)));
  line("Tiles per Replica", grouped(std::uint64_t(m.numTiles())));
  line("Memory per Replica", all);
}

void writeGraph(const ExecutablePlan &plan, std::ostream &os) {
  const Table line(os, 2, 31);
  os << "\nGraph:\n";
  line("Number of vertices", grouped(std::uint64_t(plan.numVertices)));
  line("Number of edges", grouped(std::uint64_t(plan.numEdges)));
  line("Number of variables", grouped(std::uint64_t(plan.numVariables)));
  line("Number of compute sets", grouped(std::uint64_t(plan.computeSets.size())));
}

std::uint64_t sum(const std::vector<std::uint64_t> &v) { return std::accumulate(v.begin(), v.end(), std::uint64_t(0)); }

void writeVertexData(const ExecutablePlan &plan, std::ostream &os) {
  const TileMemory &m = plan.memory;
  const std::uint64_t state = m.sum(memVertexInstanceState) + m.sum(memVertexFieldData);
  const std::uint64_t pointers = m.sum(memVectorListDescriptor), copies = m.sum(memCopyDescriptor);
  os << "          Vertex Data (" << grouped(state + pointers + copies) << "B):\n            By Category:\n";
  const Table line(os, 14, 30);
  line("Internal vertex state", inBytes(state));
  line("Edge pointers", inBytes(pointers));
  line("Copy pointers", inBytes(0));
  line("Padding", inBytes(0));
  line("Descriptors", inBytes(copies));
  os << "            By Type:\n";
  std::vector<VertexTypeUse> types = plan.vertexTypes;
  std::stable_sort(types.begin(), types.end(),
                   [](const VertexTypeUse &a, const VertexTypeUse &b) { return a.stateBytes > b.stateBytes; });
  for (const VertexTypeUse &t : types)
    os << "              " << std::left << std::setw(60) << t.name << std::right << ' ' << inBytes(t.stateBytes)
       << '\n';
}

// A power of two of kilobytes, so that at most 16 rows are needed.
std::uint64_t histogramStep(std::uint64_t largest) {
  std::uint64_t step = 1024;
  while (largest / step >= 16)
    step *= 2;
  return step;
}

void writeHistogram(const TileMemory &m, std::ostream &os) {
  constexpr std::size_t stars = 40;
  const auto range = std::minmax_element(m.totals.begin(), m.totals.end());
  const std::uint64_t step = histogramStep(*range.second);
  std::vector<std::size_t> counts(*range.second / step + 1);
  for (const std::uint64_t b : m.totals)
    ++counts[b / step];
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  os << "\n  By Tile (Excluding Gaps):\n    Range (KB) Histogram (Excluding Gaps)               Count (tiles)\n";
  for (std::size_t i = *range.first / step; i < counts.size(); ++i) {
    const std::size_t length = counts[i] ? std::max<std::size_t>(1, counts[i] * stars / most) : 0;
    os << "    " << std::setw(5) << i * step / 1024 << " - " << std::setw(4) << (i + 1) * step / 1024 << ' '
       << std::left << std::setw(stars) << std::string(length, '*') << std::right << ' ' << std::setw(6)
       << grouped(std::uint64_t(counts[i])) << '\n';
  }
}

void writeMaximum(const TileMemory &m, std::ostream &os) {
  const auto largest = [&](const char *what, const std::vector<std::uint64_t> &bytes) {
    const auto it = std::max_element(bytes.begin(), bytes.end());
    os << "    Maximum (" << what << "): " << grouped(*it) << " (" << grouped(static_cast<double>(*it) / 1024)
       << " K) on tile " << it - bytes.begin() << '\n';
  };
  os << '\n';
  largest("Including Gaps", m.withGaps);
  largest("Excluding Gaps", m.totals);
  os << "    " << m.tilesOutOfMemory() << " tile(s) out of memory\n";
}

// `of` gives the bytes of a list: of all tiles, or of one.
template <typename F> void writeTotals(const TileMemory &m, std::ostream &os, F &&of) {
  os << "Memory Usage:\n  Total:\n";
  Table(os, 4, 24)("Including Gaps", inBytes(of(m.withGaps)));
  os << "    Excluding Gaps:\n      By Memory Region:\n";
  const Table region(os, 8, 24);
  region("Non-interleaved", inBytes(of(m.nonInterleaved)));
  region("Interleaved", inBytes(of(m.interleaved)));
  region("Overflowed", inBytes(of(m.overflowed)));
  os << "      By Data Type:\n";
  const Table type(os, 10, 45);
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    type(memoryCategoryNames[c].title, inBytes(of(m.bytes[c])));
}

void writeMemory(const ExecutablePlan &plan, std::ostream &os) {
  os << '\n';
  writeTotals(plan.memory, os, sum);
  writeVertexData(plan, os);
  writeHistogram(plan.memory, os);
  writeMaximum(plan.memory, os);
}

void writeFullestTiles(const TileMemory &m, std::ostream &os) {
  constexpr std::size_t shown = 5;
  std::vector<std::size_t> tiles(m.withGaps.size());
  std::iota(tiles.begin(), tiles.end(), std::size_t(0));
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](std::size_t a, std::size_t b) { return m.withGaps[a] > m.withGaps[b]; });
  for (std::size_t i = 0; i < std::min(shown, tiles.size()); ++i) {
    os << "\nTile # " << tiles[i] << " memory usage:\n";
    writeTotals(m, os, [&](const std::vector<std::uint64_t> &bytes) { return bytes[tiles[i]]; });
  }
}

void writeVariables(const ExecutablePlan &plan, std::ostream &os) {
  os << "\nLargest variables of tile " << plan.memory.maxTile << ":\n";
  for (const auto &v : plan.memory.largestOfMaxTile)
    Table(os, 2, 40)(v.first, inBytes(v.second));
  os << "\nVariables not always live, from step to step:\n";
  for (const VariableUse &v : plan.variables)
    if (!v.alwaysLive)
      os << "  '" << v.var->name << "' from " << v.first << " (" << plan.memory.leafNames[v.first] << ") to " << v.last
         << " (" << plan.memory.leafNames[v.last] << ")\n";
}

/// Cycles of a tile on average. A tile that waits for others is in a sync.
struct TileAverages {
  double compute = 0, exchange = 0, global = 0, host = 0, total = 0;
  double sync() const { return total - compute - exchange - global - host; }
};

TileAverages averagesOf(const EngineCore &engine) {
  TileAverages a;
  const auto &steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto n = static_cast<double>(engine.executions()[i]);
    const StepCost &c = engine.costOf(steps[i]);
    a.compute += static_cast<double>(engine.computeCycles()[i]) * c.balance;
    a.exchange += n * static_cast<double>(c.exchange - c.globalExchange);
    a.global += n * static_cast<double>(c.globalExchange);
    a.host += n * static_cast<double>(c.host);
    a.total += static_cast<double>(cyclesOf(engine, i));
  }
  a.host += static_cast<double>(engine.hostAccessCycles());
  a.total += static_cast<double>(engine.hostAccessCycles());
  return a;
}

// Compute cycles of steps, divided by those of the slowest tiles: 1 if all tiles have the same to do.
double tileBalance(const EngineCore &engine) {
  double busy = 0, longest = 0;
  const auto &steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto cycles = static_cast<double>(engine.computeCycles()[i]);
    longest += cycles;
    busy += cycles * engine.costOf(steps[i]).balance;
  }
  return longest > 0 ? busy / longest : 1;
}

void writePrograms(const EngineCore &engine, std::ostream &os) {
  os << "\nExecution:\n\n  Programs executed: " << engine.runs() << "\n\n";
}

void writeExecution(const EngineCore &engine, std::ostream &os) {
  const CycleTotals c = totalsOf(engine);
  const TileAverages a = averagesOf(engine);
  const double clock = engine.plan().graph->target.machine().clock;
  const Table line(os, 2, 54);
  const auto average = [&](const char *name, double cycles) {
    line(std::string("Tile average ") + name, grouped(cycles) + " (" + percent(cycles, a.total) + " of total)");
  };
  const auto part = [&](const char *name, std::uint64_t cycles) {
    line(name, grouped(cycles) + " (" + percent(static_cast<double>(cycles), a.total) + " of total)");
  };
  writePrograms(engine, os);
  line("Total cycles",
       grouped(c.total()) + " (approx " + grouped(static_cast<double>(c.total()) / clock * 1e6) + " microseconds)");
  average("compute cycles (including idle threads)", a.compute);
  average("IPU exchange cycles", a.exchange);
  average("global exchange cycles", a.global);
  average("host exchange cycles", a.host);
  average("sync cycles", a.sync());
  os << "\n  Cycles of the slowest tile of each step:\n";
  part("  Compute cycles", c.compute);
  part("    of these rearranging copies", c.rearrange);
  part("  Exchange cycles", c.exchange);
  part("    of these between IPUs", c.globalExchange);
  part("  Host cycles", c.host);
  part("  Sync cycles", c.sync);
  line("Tile balance", percent(tileBalance(engine), 1));
}

std::string rounded(double value) {
  std::ostringstream os;
  os << std::fixed << std::setprecision(2) << value;
  return os.str();
}

void writeVertexType(const VertexTypeUse &type, const VertexTypeCycles &cycles, std::ostream &os) {
  os << "    " << std::left << std::setw(36) << type.name << std::right << std::setw(18)
     << "(" + grouped(std::uint64_t(type.count)) + " instances):" << std::setw(14) << grouped(cycles.used.sum)
     << "   from " << type.estimateSource;
  if (cycles.elements > 0)
    os << ", " << rounded(cycles.perElement()) << " an element";
  if (cycles.code.count > 0 && cycles.programs.count > 0)
    os << " (mean by code " << rounded(cycles.code.mean()) << ", by setPerfEstimate "
       << rounded(cycles.programs.mean()) << ")";
  os << '\n';
}

// On hardware targets the code says what a vertex costs; where nothing else does, there was no compiler to price it.
void writeNotPriced(const std::vector<VertexTypeUse> &types, std::ostream &os) {
  std::string names;
  for (const VertexTypeUse &t : types)
    if (t.estimateSource == "setPerfEstimate" || t.estimateSource == "default")
      names += (names.empty() ? "" : ", ") + t.name;
  if (!names.empty())
    os << "    note: not counted from their code, but estimates: " << names
       << ". pip install 'dace-ipu[cycles]' brings the compiler that prices code; popc -v says why it does not.\n";
}

void writeVertexTypes(const EngineCore &engine, std::ostream &os) {
  os << "\n  Cycles by vertex type:\n";
  const std::map<std::string, VertexTypeCycles> cycles = vertexTypeCycles(engine);
  std::vector<VertexTypeUse> types = engine.plan().vertexTypes;
  std::stable_sort(types.begin(), types.end(), [&](const VertexTypeUse &a, const VertexTypeUse &b) {
    return cycles.at(a.name).used.sum > cycles.at(b.name).used.sum;
  });
  for (const VertexTypeUse &t : types)
    writeVertexType(t, cycles.at(t.name), os);
  if (engine.plan().codeFirst)
    writeNotPriced(types, os);
}

void writeStep(const EngineCore &engine, std::size_t index, std::ostream &os) {
  const Step &step = engine.plan().steps[index];
  const StepCost &c = engine.costOf(step);
  const std::uint64_t n = engine.executions()[index];
  os << "    " << kindName(step.kind) << " '" << step.name << "': " << n << " times, "
     << grouped(cyclesOf(engine, index)) << " cycles: compute " << grouped(engine.computeCycles()[index])
     << ", exchange " << grouped(n * c.exchange) << ", sync " << grouped(n * c.sync) << ", host "
     << grouped(n * c.host);
  if (c.rearrange > 0)
    os << ", rearranging " << grouped(n * c.rearrange);
  if (c.vertices > 0)
    os << ", " << c.vertices << " vertices on " << c.tilesUsed << " tiles, balance " << percent(c.balance, 1);
  os << '\n';
}

// All steps in the order of the program, or those that take longest.
void writeSteps(const EngineCore &engine, std::ostream &os, bool all) {
  constexpr std::size_t shown = 10;
  const auto &steps = engine.plan().steps;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].profiled && (all || cyclesOf(engine, i) > 0))
      order.push_back(i);
  if (!all) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return cyclesOf(engine, a) > cyclesOf(engine, b); });
    order.resize(std::min(order.size(), shown));
  }
  os << (all ? "\n  Execution steps (cycles of all executions):\n" : "\n  Steps that take longest:\n");
  for (const std::size_t i : order)
    writeStep(engine, i, os);
}

} // namespace

void writeSummary(const EngineCore &engine, std::ostream &os, bool executionSteps, bool variableStorage) {
  const ExecutablePlan &plan = engine.plan();
  std::ostringstream text;
  writeTarget(plan.graph->target.machine(), text);
  writeGraph(plan, text);
  writeMemory(plan, text);
  if (plan.memory.tilesOutOfMemory() > 0)
    writeFullestTiles(plan.memory, text);
  if (variableStorage)
    writeVariables(plan, text);
  if (engine.runs() > 0) {
    writeExecution(engine, text);
    writeVertexTypes(engine, text);
    writeSteps(engine, text, executionSteps);
  }
  os << text.str();
}

} // namespace dace_ipu_sim
