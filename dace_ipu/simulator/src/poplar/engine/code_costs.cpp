#include "code_costs.hpp"
#include "../machine/compute_cost.hpp"

#include <algorithm>

namespace dace_ipu_sim {

void chargeCompute(const ComputeSetPlan &cs, const std::vector<std::uint64_t> &counted, const Machine &machine,
                   StepCost &cost) {
  std::uint64_t busy = 0;
  cost.compute = cost.tilesUsed = 0;
  const auto charge = [&](std::uint64_t cycles) {
    busy += cycles;
    cost.compute = std::max(cost.compute, cycles);
    cost.tilesUsed += cycles > 0;
  };
  // Calls and copies are both in the order of their tiles, of which there may be few.
  auto copy = cs.copyCycles.begin();
  TileSchedule schedule(machine);
  for (std::size_t i = 0; i < cs.calls.size();) {
    const unsigned tile = cs.calls[i].tile;
    for (; copy != cs.copyCycles.end() && copy->first < tile; ++copy)
      charge(copy->second);
    for (; i < cs.calls.size() && cs.calls[i].tile == tile; ++i) {
      const VertexCall &call = cs.calls[i];
      const bool fromCode = call.codeDecides && !counted.empty();
      schedule.add(*call.type, fromCode ? estimateFromCode(*call.type, counted[call.code], machine) : call.estimate);
    }
    const bool copies = copy != cs.copyCycles.end() && copy->first == tile;
    charge(schedule.finish() + (copies ? (copy++)->second : 0));
  }
  for (; copy != cs.copyCycles.end(); ++copy)
    charge(copy->second);
  if (cost.compute > 0)
    cost.balance = static_cast<double>(busy) / (static_cast<double>(cost.compute) * machine.numTiles());
}

CodeCosts::CodeCosts(const ComputeSetPlan &cs)
    : counted_(cs.codeCosts.size()), cost_(cs.cost),
      changes_(std::any_of(cs.codeCosts.begin(), cs.codeCosts.end(), [](const CodeCost &c) { return c.everyTime; })) {}

void CodeCosts::finish(const ComputeSetPlan &cs, const Machine &machine) {
  if (cs.codeDecides && (!known_ || changes_))
    chargeCompute(cs, counted_, machine, cost_);
  known_ = true;
}

} // namespace dace_ipu_sim
