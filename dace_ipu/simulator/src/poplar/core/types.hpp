// Facts about element types, and conversions of host values into them.
#pragma once

#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dace_ipu_sim {

/// Bytes of one element on the device.
std::size_t sizeOf(poplar::Type type);
/// The type with that spelling, or Type() if there is none.
poplar::Type typeNamed(const std::string &name);
/// Throws type_error for the types that no IPU has (DOUBLE, LONG, UNSIGNED_LONG).
void requireDeviceType(poplar::Type type, const std::string &what);

/// Converts `count` host values; `broadcast` takes the first one for all. Integers may be given in signed or unsigned
/// form; anything else out of range throws overflow_error, which names `what`.
void convertValues(const void *src, const poplar::TypeTraits &traits, std::size_t count, bool broadcast,
                   poplar::Type type, void *dst, const std::string &what);
/// One device element as a double.
double readElement(poplar::Type type, const void *p);
/// One device element as the bits of a 64-bit integer (sign-extended where the type is signed).
std::int64_t readInteger(poplar::Type type, const void *p);

/// IEEE half precision, round to nearest even.
std::uint16_t floatToHalf(float f);
float halfToFloat(std::uint16_t h);

} // namespace dace_ipu_sim
