// An extension of the simulator: the profile of an engine as JSON.
#ifndef poplar_extensions_profile_hpp
#define poplar_extensions_profile_hpp

#include <string>

namespace poplar {
class Engine;
}

namespace dace_ipu_sim {

/// The profile of everything that ran since load, as JSON. PROFILE.md documents the schema.
std::string profileJson(const poplar::Engine &engine);

} // namespace dace_ipu_sim

#endif
