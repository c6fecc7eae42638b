#include <popfloat/experimental/CastToHalf.hpp>

#include "../poplar/core/types.hpp"

#include <cmath>

namespace popfloat::experimental {

std::uint16_t singleToHalf(float value, bool enNanoo) {
  constexpr std::uint16_t infinity = 0x7c00, quiet = 0x0200, sign = 0x8000;
  const std::uint16_t half = dace_ipu_sim::floatToHalf(value);
  const bool isTooLarge = (half & ~sign) == infinity && std::isfinite(value);
  return isTooLarge && enNanoo ? half | quiet : half;
}

float halfToSingle(std::uint16_t ihalf) { return dace_ipu_sim::halfToFloat(ihalf); }

} // namespace popfloat::experimental
