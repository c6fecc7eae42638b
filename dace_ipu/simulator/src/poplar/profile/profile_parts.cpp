#include "profile_parts.hpp"
#include "../machine/machine.hpp"

#include <map>

namespace dace_ipu_sim {

using poplar::ProfileValue;

namespace {

template <typename T> ProfileValue listOf(const std::vector<T> &values) {
  return ProfileValue::Vector(values.begin(), values.end());
}

ProfileValue programValue(const ExecutablePlan &plan, const Step &step, long profiled) {
  ProfileValue::Map value{
      {"name", step.name}, {"kind", kindName(step.kind)}, {"children", listOf(step.children)}, {"step", profiled}};
  if (step.kind == ProgramKind::Repeat)
    value["count"] = step.count;
  if (step.kind == ProgramKind::Execute)
    value["computeSet"] = step.id;
  if (step.kind == ProgramKind::Execute)
    value["vertices"] = plan.computeSets[step.id].calls.size();
  return value;
}

// Bytes of each tile; a category that no tile has is left out.
ProfileValue categoriesByTile(const TileMemory &m) {
  ProfileValue::Map categories;
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    if (m.sum(static_cast<MemoryCategory>(c)) > 0)
      categories[memoryCategoryNames[c].key] = listOf(m.bytes[c]);
  return categories;
}

ProfileValue livenessValue(const TileMemory &m) {
  ProfileValue::Vector steps;
  for (std::size_t i = 0; i < m.liveBytes.size(); ++i)
    steps.push_back(ProfileValue::Map{{"name", m.leafNames[i]}, {"notAlwaysLiveBytes", m.liveBytes[i]}});
  return steps;
}

} // namespace

ProfileValue programsValue(const ExecutablePlan &plan) {
  ProfileValue::Vector programs;
  long profiled = 0;
  for (const Step &step : plan.steps)
    programs.push_back(programValue(plan, step, step.profiled ? profiled++ : -1));
  return programs;
}

ProfileValue entriesValue(const ExecutablePlan &plan) { return listOf(plan.programs); }

ProfileValue computeSetsValue(const ExecutablePlan &plan) {
  ProfileValue::Vector sets;
  for (const ComputeSetPlan &cs : plan.computeSets) {
    std::map<std::string, std::size_t> types;
    for (const unsigned v : plan.graph->computeSets[cs.id].vertices)
      ++types[plan.graph->vertices[v].type->name];
    ProfileValue::Map byType;
    for (const auto &t : types)
      byType[t.first] = t.second;
    sets.push_back(ProfileValue::Map{{"name", plan.graph->computeSets[cs.id].name},
                                     {"vertices", cs.calls.size()},
                                     {"verticesByType", byType}});
  }
  return sets;
}

ProfileValue variablesValue(const ExecutablePlan &plan) {
  ProfileValue::Vector variables;
  for (const VariableUse &use : plan.variables) {
    const Variable &v = *use.var;
    ProfileValue::Map value{{"name", v.name},
                            {"type", v.type.toString()},
                            {"elements", v.elements},
                            {"bytes", v.elements * plan.graph->target.getTypeSize(v.type)},
                            {"constant", v.isConstant},
                            {"alwaysLive", use.alwaysLive}};
    if (!use.alwaysLive)
      value["live"] = ProfileValue::Vector{use.first, use.last};
    variables.push_back(value);
  }
  return variables;
}

ProfileValue memoryValue(const ExecutablePlan &plan) {
  const TileMemory &m = plan.memory;
  ProfileValue::Map categories, totals;
  for (unsigned c = 0; c < numMemoryCategories; ++c) {
    categories[memoryCategoryNames[c].key] = m.bytes[c][m.maxTile];
    totals[memoryCategoryNames[c].key] = m.sum(static_cast<MemoryCategory>(c));
  }
  ProfileValue::Vector largest;
  for (const auto &v : m.largestOfMaxTile)
    largest.push_back(ProfileValue::Map{{"name", v.first}, {"bytes", v.second}});
  return ProfileValue::Map{{"maxTile", m.maxTile},
                           {"maxBytes", m.maxBytes},
                           {"totalBytes", m.totalBytes},
                           {"outOfMemory", m.tilesOutOfMemory() > 0},
                           {"tilesOutOfMemory", m.tilesOutOfMemory()},
                           {"byCategoryOfMaxTile", categories},
                           {"byCategory", totals},
                           {"largestVariablesOfMaxTile", largest},
                           {"perTile", listOf(m.withGaps)},
                           {"perTileExcludingGaps", listOf(m.totals)},
                           {"perTileNonInterleaved", listOf(m.nonInterleaved)},
                           {"perTileInterleaved", listOf(m.interleaved)},
                           {"perTileNotAlwaysLive", listOf(m.notAlwaysLive)},
                           {"perTileOverflowed", listOf(m.overflowed)},
                           {"perTileByCategory", categoriesByTile(m)},
                           {"livenessProgramSteps", livenessValue(m)}};
}

} // namespace dace_ipu_sim
