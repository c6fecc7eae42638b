#include "profile.hpp"
#include "../engine/engine_core.hpp"
#include "../engine/engine_options.hpp"
#include "../machine/compute_cost.hpp"
#include "../machine/machine.hpp"
#include "profile_parts.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/extensions/profile.hpp>

#include <algorithm>
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
                           {"workers", m.workers},
                           {"interleavedOffset", m.interleavedOffset},
                           {"usableBytesPerTile", m.usableBytes()},
                           {"bytesPerTile", m.bytesPerTile}};
}

ProfileValue graphValue(const ExecutablePlan &plan) {
  return ProfileValue::Map{{"variables", plan.numVariables},
                           {"vertices", plan.numVertices},
                           {"edges", plan.numEdges},
                           {"computeSets", plan.computeSets.size()}};
}

ProfileValue cyclesValue(const CycleTotals &c) {
  return ProfileValue::Map{{"compute", c.compute}, {"exchange", c.exchange},   {"sync", c.sync},
                           {"host", c.host},       {"rearrange", c.rearrange}, {"globalExchange", c.globalExchange},
                           {"total", c.total()}};
}

const char *stepKind(ProgramKind kind) {
  switch (kind) {
  case ProgramKind::Execute:
    return "execute";
  case ProgramKind::Copy:
  case ProgramKind::CrossReplicaCopy:
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

ProfileValue pairsValue(const std::vector<TilePair> &pairs) {
  ProfileValue::Vector all;
  for (const TilePair &p : pairs)
    all.push_back(ProfileValue::Vector{p.from, p.to, p.bytes});
  return all;
}

ProfileValue exchangeValue(const ExchangeRecord &e) {
  ProfileValue::Map value{{"when", e.when},
                          {"cycles", e.cycles},
                          {"bytes", e.bytes},
                          {"fragments", e.fragments},
                          {"globalCycles", e.globalCycles},
                          {"globalBytes", e.globalBytes},
                          {"busiestTile", e.busiestTile},
                          {"busiestReceived", e.busiestReceived},
                          {"busiestSent", e.busiestSent}};
  if (e.numPairs > 0) {
    value["numPairs"] = e.numPairs;
    value["largestPairs"] = pairsValue(e.pairs);
  }
  return value;
}

ProfileValue stepValue(const EngineCore &engine, std::size_t index) {
  const Step &step = engine.plan().steps[index];
  const StepCost &c = engine.costOf(step);
  const std::uint64_t n = engine.executions()[index];
  ProfileValue::Vector exchanges;
  for (const ExchangeRecord &e : step.exchanges)
    exchanges.push_back(exchangeValue(e));
  return ProfileValue::Map{{"name", step.name},
                           {"kind", stepKind(step.kind)},
                           {"executions", n},
                           {"computeCycles", engine.computeCycles()[index]},
                           {"exchangeCycles", times(n, c.exchange)},
                           {"syncCycles", times(n, c.sync)},
                           {"hostCycles", times(n, c.host)},
                           {"rearrangeCycles", times(n, c.rearrange)},
                           {"preArrangeCycles", times(n, c.preArrange)},
                           {"postArrangeCycles", times(n, c.postArrange)},
                           {"writeBackCycles", times(n, c.writeBack)},
                           {"globalExchangeCycles", times(n, c.globalExchange)},
                           {"bytesExchanged", times(n, c.bytesExchanged)},
                           {"bytesBetweenIPUs", times(n, c.bytesGlobal)},
                           {"rearrangedBytes", times(n, c.bytesRearranged)},
                           {"hostBytes", times(n, c.bytesHost)},
                           {"tilesUsed", c.tilesUsed},
                           {"balance", c.balance},
                           {"vertices", c.vertices},
                           {"exchanges", exchanges}};
}

// Steps in program order: planStep numbers a program before its children.
ProfileValue stepsValue(const EngineCore &engine) {
  ProfileValue::Vector steps;
  const auto &all = engine.plan().steps;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].profiled)
      steps.push_back(stepValue(engine, i));
  return steps;
}

ProfileValue runsValue(const EngineCore &engine) {
  ProfileValue::Vector runs;
  for (const RunRecord &r : engine.runRecords())
    runs.push_back(ProfileValue::Map{{"program", r.program}, {"cycles", r.cycles}});
  return runs;
}

ProfileValue vertexTypesValue(const EngineCore &engine) {
  const std::map<std::string, VertexTypeCycles> cycles = vertexTypeCycles(engine);
  ProfileValue::Vector types;
  for (const VertexTypeUse &t : engine.plan().vertexTypes) {
    const VertexTypeCycles &c = cycles.at(t.name);
    ProfileValue::Map type{{"name", t.name},
                           {"count", t.count},
                           {"cycles", c.used.sum},
                           {"stateBytes", t.stateBytes},
                           {"estimateSource", t.estimateSource},
                           {"estimate", c.used.mean()},
                           {"slotsPerElement", c.perElement()}};
    if (c.code.count > 0)
      type["code"] = c.code.mean();
    if (c.programs.count > 0)
      type["setPerfEstimate"] = c.programs.mean();
    types.push_back(type);
  }
  return types;
}

void makeFolder(const std::string &path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0777);
}

} // namespace

double MeanOf::mean() const { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0.0; }

double VertexTypeCycles::perElement() const {
  return elements ? static_cast<double>(used.sum) / static_cast<double>(elements) : 0.0;
}

std::map<std::string, VertexTypeCycles> vertexTypeCycles(const EngineCore &engine) {
  std::map<std::string, VertexTypeCycles> types;
  const ExecutablePlan &plan = engine.plan();
  const Machine &machine = plan.graph->target.machine();
  for (std::size_t i = 0; i < plan.computeSets.size(); ++i)
    for (const VertexCall &call : plan.computeSets[i].calls) {
      VertexTypeCycles &type = types[call.type->name];
      const CodeCosts &costs = engine.codeCosts()[i];
      const bool isKnown = call.code != npos && costs.known();
      const std::uint64_t code = isKnown ? estimateFromCode(*call.type, costs.counted(call), machine) : 0;
      if (isKnown)
        type.code.add(code);
      if (call.programs > 0)
        type.programs.add(call.programs);
      type.used.add(isKnown && call.codeDecides ? code : call.estimate);
      type.elements += call.elements;
    }
  return types;
}

CycleTotals totalsOf(const EngineCore &engine) {
  CycleTotals totals;
  const auto &steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint64_t n = engine.executions()[i];
    totals.compute += engine.computeCycles()[i];
    totals.exchange += times(n, steps[i].cost.exchange);
    totals.sync += times(n, steps[i].cost.sync);
    totals.host += times(n, steps[i].cost.host);
    totals.rearrange += times(n, steps[i].cost.rearrange);
    totals.globalExchange += times(n, steps[i].cost.globalExchange);
  }
  totals.host += engine.hostAccessCycles();
  return totals;
}

std::uint64_t cyclesOf(const EngineCore &engine, std::size_t step) {
  const StepCost &c = engine.costOf(engine.plan().steps[step]);
  return engine.computeCycles()[step] + times(engine.executions()[step], c.exchange + c.sync + c.host);
}

ProfileValue profileOf(const EngineCore &engine) {
  const ExecutablePlan &plan = engine.plan();
  return ProfileValue::Map{{"schema", 2},
                           {"poplarVersion", std::string(poplar::versionString())},
                           {"target", targetValue(plan.graph->target.machine())},
                           {"graph", graphValue(plan)},
                           {"runs", engine.runs()},
                           {"runRecords", runsValue(engine)},
                           {"cycles", cyclesValue(totalsOf(engine))},
                           {"steps", stepsValue(engine)},
                           {"programs", programsValue(plan)},
                           {"entryPrograms", entriesValue(plan)},
                           {"computeSets", computeSetsValue(plan)},
                           {"variables", variablesValue(plan)},
                           {"memory", memoryValue(plan)},
                           {"vertexTypes", vertexTypesValue(engine)}};
}

std::string reportPath(const ExecutablePlan &plan) {
  if (const char *path = std::getenv("DACE_IPU_PROFILE"))
    return path;
  const char *const wishes[] = {"autoReport.all", "autoReport.outputGraphProfile", "autoReport.outputExecutionProfile"};
  if (std::none_of(std::begin(wishes), std::end(wishes), [&](const char *key) { return isSet(plan.options, key); }))
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
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].profiled)
      result.push_back({steps[i].name, cyclesOf(engine.core(), i)});
  return result;
}

} // namespace dace_ipu_sim
