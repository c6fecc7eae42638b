#include <dace_ipu/settings.hpp>

#include <cstdlib>
#include <stdexcept>

namespace dace_ipu {

namespace {

std::size_t number(const char *key, std::size_t otherwise, long least) {
  const std::string variable = std::string("DACE_compiler_ipu_") + key;
  const char *text = std::getenv(variable.c_str());
  if (text == nullptr)
    return otherwise;
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < least)
    throw std::invalid_argument("environment variable " + variable + " is '" + text + "', not a number of at least " +
                                std::to_string(least));
  return static_cast<std::size_t>(value);
}

} // namespace

Settings Settings::withEnvironment() const {
  Settings result = *this;
  if (const char *value = std::getenv("DACE_compiler_ipu_target"))
    result.target = value;
  result.ipus = static_cast<unsigned>(number("ipus", ipus, 1));
  result.tiles = static_cast<unsigned>(number("tiles", tiles, 0));
  result.graphCacheSize = number("graph_cache_size", graphCacheSize, 1);
  return result;
}

} // namespace dace_ipu
