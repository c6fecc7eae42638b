// The profile of an engine as data, JSON and text.
#pragma once

#include "../engine/plan.hpp"

#include <poplar/ProfileValue.hpp>

#include <iosfwd>
#include <string>

namespace dace_ipu_sim {

class EngineCore;

/// Cycles of everything that ran since load, by kind.
struct CycleTotals {
  std::uint64_t compute = 0;
  std::uint64_t exchange = 0;
  std::uint64_t sync = 0;
  std::uint64_t host = 0;
  std::uint64_t rearrange = 0;      // part of compute
  std::uint64_t globalExchange = 0; // part of exchange
  std::uint64_t total() const { return compute + exchange + sync + host; }
};
CycleTotals totalsOf(const EngineCore &engine);

/// PROFILE.md documents the schema.
poplar::ProfileValue profileOf(const EngineCore &engine);
/// The file that DACE_IPU_PROFILE or the options autoReport.* ask for; empty if nobody does.
std::string reportPath(const ExecutablePlan &plan);
/// Writes the profile as JSON. Throws file_load_error if the file cannot be written.
void writeProfile(const EngineCore &engine, const std::string &path);
/// The text of printProfileSummary.
void writeSummary(const EngineCore &engine, std::ostream &os, bool executionSteps, bool variableStorage);

} // namespace dace_ipu_sim
