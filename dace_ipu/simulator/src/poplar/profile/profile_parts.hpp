// The parts of the profile that describe what was compiled.
#pragma once

#include "../engine/plan.hpp"

#include <poplar/ProfileValue.hpp>

namespace dace_ipu_sim {

/// The tree of programs as a list; children are indices into it, `step` into the steps of the profile.
poplar::ProfileValue programsValue(const ExecutablePlan &plan);
/// Where the tree of each program of the engine begins; -1 is an empty program.
poplar::ProfileValue entriesValue(const ExecutablePlan &plan);
poplar::ProfileValue computeSetsValue(const ExecutablePlan &plan);
poplar::ProfileValue variablesValue(const ExecutablePlan &plan);
poplar::ProfileValue memoryValue(const ExecutablePlan &plan);

} // namespace dace_ipu_sim
