// An extension of the simulator: the profile of an engine as JSON, and its cycles as numbers.
#ifndef poplar_extensions_profile_hpp
#define poplar_extensions_profile_hpp

#include <cstdint>
#include <string>
#include <vector>

namespace poplar {
class Engine;
}

namespace dace_ipu_sim {

/// The profile of everything that ran since load, as JSON. PROFILE.md documents the schema.
std::string profileJson(const poplar::Engine &engine);

/// A step of the program, and the cycles of all its executions since load: compute, exchange, sync and host.
struct StepCycles {
  std::string name;
  std::uint64_t cycles;
};

/// The steps that the profile lists, in its order.
std::vector<StepCycles> stepCycles(const poplar::Engine &engine);

} // namespace dace_ipu_sim

#endif
