// What a program asks for of the machine.
#ifndef DACE_IPU_SETTINGS_HPP
#define DACE_IPU_SETTINGS_HPP

#include <cstddef>
#include <string>

namespace dace_ipu {

/// What a program asks for: the values of compiler.ipu.* at code generation, unless the environment variable
/// DACE_compiler_ipu_<key> says otherwise at run time. `tiles` of 0 means all of them; `target` counts in simulation only.
struct Settings {
  std::string target;
  unsigned ipus;
  unsigned tiles;
  std::size_t graphCacheSize;

  /// These settings, as far as environment variables do not say otherwise. Throws std::invalid_argument for a bad number.
  Settings withEnvironment() const;
};

} // namespace dace_ipu

#endif // DACE_IPU_SETTINGS_HPP
