// What an executable holds, member by member.
#pragma once

#include "../engine/plan.hpp"
#include "archive.hpp"

#include <memory>
#include <vector>

namespace dace_ipu_sim {

/// A graph as it was when it was compiled, and what was compiled.
struct StoredExecutable {
  std::shared_ptr<GraphCore> graph;
  std::vector<ProgramPtr> programs;
  poplar::OptionFlags options;
  GraphExtent extent;
};

void transferExecutable(ArchiveOut &archive, StoredExecutable &executable);
void transferExecutable(ArchiveIn &archive, StoredExecutable &executable);

} // namespace dace_ipu_sim
