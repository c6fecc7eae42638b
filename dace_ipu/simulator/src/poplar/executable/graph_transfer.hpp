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

/// Tensors with the variables that they are views of. Reading adds the variables to the graph.
void transferTensors(ArchiveOut &archive, GraphCore &graph, std::vector<poplar::Tensor> &tensors);
void transferTensors(ArchiveIn &archive, GraphCore &graph, std::vector<poplar::Tensor> &tensors);

void transferExecutable(ArchiveOut &archive, StoredExecutable &executable);
void transferExecutable(ArchiveIn &archive, StoredExecutable &executable);

} // namespace dace_ipu_sim
