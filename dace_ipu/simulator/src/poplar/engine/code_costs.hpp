// What the vertices of a compute set cost by their own code, as it becomes known while they run.
#pragma once

#include "../machine/machine.hpp"
#include "codelet_host.hpp"
#include "plan.hpp"

#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Adds up what the vertices and copies of a compute set take on each tile into `cost`: compute, balance, tilesUsed.
/// `counted` is what each of ComputeSetPlan::codeCosts counted; without it the planner's estimates stand.
void chargeCompute(const ComputeSetPlan &cs, const std::vector<std::uint64_t> &counted, const Machine &machine,
                   StepCost &cost);

/// The costs of one compute set of an engine.
class CodeCosts {
public:
  explicit CodeCosts(const ComputeSetPlan &cs);

  /// Whether this call is to run its counting entry now.
  bool wants(const VertexCall &call) const { return call.counts && (!known_ || call.countsEveryTime); }
  /// Whether any of these calls is.
  bool wants(const VertexBatch &batch) const { return batch.counts && (!known_ || batch.countsEveryTime); }
  /// Runs a vertex and, if it `notes`, keeps what its slowest worker cost. Calls of one compute set may note at the
  /// same time.
  bool run(const VertexCall &call, const Machine &machine, void *state, unsigned worker, bool notes,
           CodeletThread &thread) {
    thread.countWith(call.takeCost, call.type->kind == DACE_IPU_SUPERVISOR_VERTEX ? 1 : machine.workers);
    const bool result = call.type->run_counted(state, worker);
    const std::uint64_t cost = thread.takeCounted();
    if (notes)
      counted_[call.code] = worker == 0 || counted_[call.code] < cost ? cost : counted_[call.code];
    return result;
  }
  /// Brings the cost up to date after all vertices have run.
  void finish(const ComputeSetPlan &cs, const Machine &machine);

  bool known() const { return known_; }
  std::uint64_t counted(const VertexCall &call) const { return counted_[call.code]; }
  /// Of the last execution.
  const StepCost &cost() const { return cost_; }

private:
  std::vector<std::uint64_t> counted_;
  StepCost cost_;
  bool known_ = false;
  bool changes_; // with the data
};

} // namespace dace_ipu_sim
