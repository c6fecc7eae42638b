// Which options an Engine knows.
#pragma once

#include <poplar/OptionFlags.hpp>

#include <cstdint>

namespace dace_ipu_sim {

/// The given options and those of the environment variable POPLAR_ENGINE_OPTIONS; given ones win. Throws
/// poplar::invalid_option for unknown keys.
poplar::OptionFlags engineOptions(const poplar::OptionFlags &given);
/// Throws poplar::invalid_option for unknown keys.
void checkRuntimeOptions(const poplar::OptionFlags &given);
bool isSet(const poplar::OptionFlags &options, const char *key, bool fallback = false);
std::uint64_t numberOf(const poplar::OptionFlags &options, const char *key, std::uint64_t fallback);

/// Whether streams to the device are filled ahead of need.
bool streamsAreAhead(const poplar::OptionFlags &options);

} // namespace dace_ipu_sim
