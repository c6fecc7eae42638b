#include "profile.hpp"
#include "../engine/engine_core.hpp"
#include "../engine/engine_options.hpp"
#include "../machine/machine.hpp"

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/extensions/profile.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace dace_ipu_sim {

using poplar::ProfileValue;

namespace {

std::uint64_t times(std::uint64_t n, std::uint64_t cycles) { return n * cycles; }

ProfileValue targetValue(const Machine &m) {
  return ProfileValue::Map{{"name", m.marketName},
                           {"arch", m.arch},
                           {"type", poplar::toString(m.type)},
                           {"numIPUs", m.numIPUs},
                           {"tilesPerIPU", m.tilesPerIPU},
                           {"numTiles", m.numTiles()},
                           {"clock", m.clock},
                           {"bytesPerTile", m.bytesPerTile}};
}

ProfileValue graphValue(const ExecutablePlan &plan) {
  return ProfileValue::Map{{"variables", plan.numVariables},
                           {"vertices", plan.numVertices},
                           {"edges", plan.numEdges},
                           {"computeSets", plan.computeSets.size()}};
}

ProfileValue cyclesValue(const CycleTotals &c) {
  return ProfileValue::Map{
      {"compute", c.compute}, {"exchange", c.exchange}, {"sync", c.sync}, {"host", c.host}, {"total", c.total()}};
}

const char *stepKind(ProgramKind kind) {
  switch (kind) {
  case ProgramKind::Execute:
    return "execute";
  case ProgramKind::Copy:
    return "copy";
  case ProgramKind::StreamToTensor:
  case ProgramKind::TensorToStream:
    return "streamCopy";
  case ProgramKind::RemoteToTensor:
  case ProgramKind::TensorToRemote:
    return "remoteCopy";
  case ProgramKind::HostCall:
    return "hostCall";
  case ProgramKind::Sync:
    return "sync";
  default:
    return "control";
  }
}

ProfileValue stepValue(const Step &step, std::uint64_t n) {
  const StepCost &c = step.cost;
  return ProfileValue::Map{{"name", step.name},
                           {"kind", stepKind(step.kind)},
                           {"executions", n},
                           {"computeCycles", times(n, c.compute)},
                           {"exchangeCycles", times(n, c.exchange)},
                           {"syncCycles", times(n, c.sync)},
                           {"hostCycles", times(n, c.host)},
                           {"rearrangeCycles", times(n, c.rearrange)},
                           {"bytesExchanged", times(n, c.bytesExchanged)},
                           {"rearrangedBytes", times(n, c.bytesRearranged)},
                           {"hostBytes", times(n, c.bytesHost)},
                           {"tilesUsed", c.tilesUsed},
                           {"balance", c.balance},
                           {"vertices", c.vertices}};
}

// Steps in program order: planStep numbers a program before its children.
ProfileValue stepsValue(const EngineCore &engine) {
  ProfileValue::Vector steps;
  const auto &all = engine.plan().steps;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].profiled)
      steps.push_back(stepValue(all[i], engine.executions()[i]));
  return steps;
}

ProfileValue memoryValue(const ExecutablePlan &plan) {
  const TileMemory &m = plan.memory;
  ProfileValue::Map categories, totals;
  for (std::size_t c = 0; c < numMemoryCategories; ++c) {
    categories[memoryCategoryNames[c]] = m.bytes[c][m.maxTile];
    std::uint64_t sum = 0;
    for (const std::uint64_t b : m.bytes[c])
      sum += b;
    totals[memoryCategoryNames[c]] = sum;
  }
  ProfileValue::Vector largest, perTile;
  for (const auto &v : m.largestOfMaxTile)
    largest.push_back(ProfileValue::Map{{"name", v.first}, {"bytes", v.second}});
  for (const std::uint64_t b : m.totals)
    perTile.push_back(b);
  return ProfileValue::Map{{"maxTile", m.maxTile},
                           {"maxBytes", m.maxBytes},
                           {"totalBytes", m.totalBytes},
                           {"outOfMemory", m.maxBytes > plan.graph->target.getBytesPerTile()},
                           {"byCategoryOfMaxTile", categories},
                           {"byCategory", totals},
                           {"largestVariablesOfMaxTile", largest},
                           {"perTile", perTile}};
}

ProfileValue vertexTypesValue(const ExecutablePlan &plan) {
  ProfileValue::Vector types;
  for (const VertexTypeUse &t : plan.vertexTypes)
    types.push_back(ProfileValue::Map{{"name", t.name}, {"count", t.count}, {"estimateSource", t.estimateSource}});
  return types;
}

void makeFolder(const std::string &path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0777);
}

} // namespace

CycleTotals totalsOf(const EngineCore &engine) {
  CycleTotals totals;
  const auto &steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint64_t n = engine.executions()[i];
    totals.compute += times(n, steps[i].cost.compute);
    totals.exchange += times(n, steps[i].cost.exchange);
    totals.sync += times(n, steps[i].cost.sync);
    totals.host += times(n, steps[i].cost.host);
  }
  totals.host += engine.hostAccessCycles();
  return totals;
}

ProfileValue profileOf(const EngineCore &engine) {
  const ExecutablePlan &plan = engine.plan();
  return ProfileValue::Map{{"schema", 1},
                           {"target", targetValue(plan.graph->target.machine())},
                           {"graph", graphValue(plan)},
                           {"runs", engine.runs()},
                           {"cycles", cyclesValue(totalsOf(engine))},
                           {"steps", stepsValue(engine)},
                           {"memory", memoryValue(plan)},
                           {"vertexTypes", vertexTypesValue(plan)}};
}

std::string reportPath(const ExecutablePlan &plan) {
  if (const char *path = std::getenv("DACE_IPU_PROFILE"))
    return path;
  if (!isSet(plan.options, "autoReport.all"))
    return "";
  const auto directory = plan.options.find("autoReport.directory");
  return directory == plan.options.end() ? "./profile.json" : directory->second + "/profile.json";
}

void writeProfile(const EngineCore &engine, const std::string &path) {
  makeFolder(path);
  std::ofstream file(path);
  poplar::serializeToJSON(file, profileOf(engine), true);
  file << '\n';
  if (!file)
    throw poplar::file_load_error("cannot write the profile to '" + path + "'");
}

std::string profileJson(const poplar::Engine &engine) {
  std::ostringstream text;
  poplar::serializeToJSON(text, profileOf(engine.core()), true);
  return text.str();
}

std::vector<StepCycles> stepCycles(const poplar::Engine &engine) {
  std::vector<StepCycles> result;
  const auto &steps = engine.core().plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepCost &c = steps[i].cost;
    if (steps[i].profiled)
      result.push_back({steps[i].name, times(engine.core().executions()[i], c.compute + c.exchange + c.sync + c.host)});
  }
  return result;
}

} // namespace dace_ipu_sim
