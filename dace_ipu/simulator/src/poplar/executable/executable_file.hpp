// Executables on disk: the graph, its programs and its codelet modules, from which a later process plans anew.
#pragma once

#include "../engine/plan.hpp"

#include <iosfwd>
#include <memory>

namespace dace_ipu_sim {

void writeExecutable(const ExecutablePlan &plan, std::ostream &out);
std::shared_ptr<const ExecutablePlan> readExecutable(std::istream &in);

} // namespace dace_ipu_sim
