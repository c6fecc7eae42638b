// Executables on disk: the graph, its programs and its codelet modules, from which a later process plans anew. And
// tensors on disk.
#pragma once

#include "../engine/plan.hpp"

#include <iosfwd>
#include <memory>
#include <vector>

namespace dace_ipu_sim {

void writeExecutable(const ExecutablePlan &plan, std::ostream &out);
std::shared_ptr<const ExecutablePlan> readExecutable(std::istream &in);

void writeTensors(GraphCore &graph, std::vector<poplar::Tensor> tensors, std::ostream &out);
/// Adds the variables of the tensors to the graph.
std::vector<poplar::Tensor> readTensors(GraphCore &graph, std::istream &in);

} // namespace dace_ipu_sim
