#include "code_costs.hpp"
#include "../machine/compute_cost.hpp"

#include <algorithm>

namespace dace_ipu_sim {

void chargeCompute(const ComputeSetPlan &cs, const std::vector<std::uint64_t> &counted, const Machine &machine,
                   StepCost &cost) {
  TileSchedule schedule(machine);
  for (const VertexCall &call : cs.calls) {
    const bool fromCode = call.codeDecides && !counted.empty();
    schedule.add(call.tile, *call.type,
                 fromCode ? estimateFromCode(*call.type, counted[call.code], machine) : call.estimate);
  }
  std::vector<std::uint64_t> cycles = schedule.finish();
  for (const auto &copy : cs.copyCycles)
    cycles[copy.first] += copy.second;
  std::uint64_t busy = 0;
  cost.compute = cost.tilesUsed = 0;
  for (const std::uint64_t c : cycles) {
    busy += c;
    cost.compute = std::max(cost.compute, c);
    cost.tilesUsed += c > 0;
  }
  if (cost.compute > 0)
    cost.balance = static_cast<double>(busy) / (static_cast<double>(cost.compute) * machine.numTiles());
}

void CodeCosts::finish(const ComputeSetPlan &cs, const Machine &machine) {
  const bool changes =
      std::any_of(cs.codeCosts.begin(), cs.codeCosts.end(), [](const CodeCost &c) { return c.everyTime; });
  if (cs.codeDecides && (!known_ || changes))
    chargeCompute(cs, counted_, machine, cost_);
  known_ = true;
}

} // namespace dace_ipu_sim
