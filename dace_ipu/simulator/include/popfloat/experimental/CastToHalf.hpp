// Conversions of single numbers on the host.
#ifndef popfloat_CastToHalf_hpp
#define popfloat_CastToHalf_hpp

#include <cstdint>

namespace popfloat {
namespace experimental {

/// The bits of the nearest half. What is too large becomes infinity or, with `enNanoo`, not a number.
std::uint16_t singleToHalf(float value, bool enNanoo = false);
float halfToSingle(std::uint16_t ihalf);

} // namespace experimental
} // namespace popfloat

#endif
