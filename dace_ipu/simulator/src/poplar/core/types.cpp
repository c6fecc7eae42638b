#include "types.hpp"

#include <poplar/exceptions.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace dace_ipu_sim {

using Id = poplar::Type::Id;

namespace {

struct TypeFacts {
  Id id;
  const char *name;
  std::size_t size;
  bool isSigned;
};

const TypeFacts typeTable[] = {
    {Id::Bool, "bool", 1, false},
    {Id::Char, "char", 1, true},
    {Id::UnsignedChar, "unsigned char", 1, false},
    {Id::SignedChar, "signed char", 1, true},
    {Id::UnsignedShort, "unsigned short", 2, false},
    {Id::Short, "short", 2, true},
    {Id::UnsignedInt, "unsigned int", 4, false},
    {Id::Int, "int", 4, true},
    {Id::UnsignedLong, "unsigned long", 8, false},
    {Id::Long, "long", 8, true},
    {Id::UnsignedLongLong, "unsigned long long", 8, false},
    {Id::LongLong, "long long", 8, true},
    {Id::Quarter, "quarter", 1, true},
    {Id::Half, "half", 2, true},
    {Id::Float, "float", 4, true},
    {Id::Double, "double", 8, true},
    {Id::QuarterMetadata, "quarter_metadata", 1, false},
    {Id::None, "<none>", 0, false},
};

const TypeFacts &factsOf(poplar::Type type) { return typeTable[static_cast<std::size_t>(type.id())]; }

// A host number before it becomes a device element.
struct HostNumber {
  bool isFloat;
  bool negative;
  double real;
  std::uint64_t bits; // integers: two's complement
};

template <typename T> T load(const void *p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

double loadReal(const void *p, std::size_t size) {
  switch (size) {
  case 2:
    return halfToFloat(load<std::uint16_t>(p));
  case 4:
    return load<float>(p);
  case 8:
    return load<double>(p);
  default:
    return static_cast<double>(load<long double>(p));
  }
}

std::int64_t loadSigned(const void *p, std::size_t size) {
  switch (size) {
  case 1:
    return load<std::int8_t>(p);
  case 2:
    return load<std::int16_t>(p);
  case 4:
    return load<std::int32_t>(p);
  default:
    return load<std::int64_t>(p);
  }
}

std::uint64_t loadUnsigned(const void *p, std::size_t size) {
  switch (size) {
  case 1:
    return load<std::uint8_t>(p);
  case 2:
    return load<std::uint16_t>(p);
  case 4:
    return load<std::uint32_t>(p);
  default:
    return load<std::uint64_t>(p);
  }
}

HostNumber loadHost(const void *p, const poplar::TypeTraits &traits) {
  if (traits.isFloat) {
    const double d = loadReal(p, traits.size);
    return {true, d < 0, d, 0};
  }
  if (traits.isSigned) {
    const std::int64_t i = loadSigned(p, traits.size);
    return {false, i < 0, static_cast<double>(i), static_cast<std::uint64_t>(i)};
  }
  const std::uint64_t u = loadUnsigned(p, traits.size);
  return {false, false, static_cast<double>(u), u};
}

[[noreturn]] void overflow(double value, poplar::Type type, const std::string &what) {
  std::ostringstream os;
  os << what << ": value " << value << " does not fit into type " << type;
  throw poplar::overflow_error(os.str());
}

std::uint64_t integerBits(const HostNumber &n, poplar::Type type, const std::string &what) {
  const unsigned bits = static_cast<unsigned>(factsOf(type).size * 8);
  const double low = -std::ldexp(1.0, static_cast<int>(bits) - 1);
  const double high = std::ldexp(1.0, static_cast<int>(bits));
  const double whole = std::trunc(n.real);
  if (!(whole >= low && whole < high) && (n.isFloat || bits < 64))
    overflow(n.real, type, what);
  if (!n.isFloat)
    return n.bits;
  return n.negative ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : static_cast<std::uint64_t>(whole);
}

void storeFloat(const HostNumber &n, void *dst, const std::string &what) {
  const float f = static_cast<float>(n.real);
  if (std::isinf(f) && !std::isinf(n.real))
    overflow(n.real, poplar::FLOAT, what);
  std::memcpy(dst, &f, sizeof(f));
}

void storeHalf(const HostNumber &n, void *dst, const std::string &what) {
  const std::uint16_t h = floatToHalf(static_cast<float>(n.real));
  if ((h & 0x7fffu) == 0x7c00u && !std::isinf(n.real))
    overflow(n.real, poplar::HALF, what);
  std::memcpy(dst, &h, sizeof(h));
}

void storeElement(const HostNumber &n, poplar::Type type, void *dst, const std::string &what) {
  switch (type.id()) {
  case Id::Float:
    return storeFloat(n, dst, what);
  case Id::Half:
    return storeHalf(n, dst, what);
  case Id::Bool: {
    const std::uint8_t b = n.real != 0;
    std::memcpy(dst, &b, 1);
    return;
  }
  case Id::Quarter:
  case Id::Double:
  case Id::None:
    throw poplar::type_error(what + ": cannot convert host values to type " + type.toString() +
                             (type == poplar::QUARTER ? " (only its bits, as unsigned char)" : ""));
  default: {
    const std::uint64_t bits = integerBits(n, type, what);
    std::memcpy(dst, &bits, factsOf(type).size); // little-endian hosts only
  }
  }
}

// Host values that already have the bits of the device type.
bool sameRepresentation(const poplar::TypeTraits &traits, poplar::Type type) {
  if (type == poplar::FLOAT)
    return traits.isFloat && traits.size == 4;
  if (type == poplar::HALF)
    return traits.isFloat && traits.size == 2;
  if (type == poplar::BOOL)
    return traits.isBool;
  return !traits.isFloat && type != poplar::DOUBLE && traits.size == factsOf(type).size;
}

} // namespace

std::size_t sizeOf(poplar::Type type) { return factsOf(type).size; }

poplar::Type typeNamed(const std::string &name) {
  for (const TypeFacts &t : typeTable)
    if (name == t.name)
      return poplar::Type(t.id);
  return poplar::Type();
}

void requireDeviceType(poplar::Type type, const std::string &what) {
  switch (type.id()) {
  case Id::Double:
  case Id::Long:
  case Id::UnsignedLong:
  case Id::None:
    throw poplar::type_error(what + ": type '" + type.toString() + "' does not exist on the IPU");
  default:
    return;
  }
}

void convertValues(const void *src, const poplar::TypeTraits &traits, std::size_t count, bool broadcast,
                   poplar::Type type, void *dst, const std::string &what) {
  const std::size_t size = sizeOf(type);
  auto *out = static_cast<std::uint8_t *>(dst);
  const auto *in = static_cast<const std::uint8_t *>(src);
  if (count == 0)
    return;
  const std::size_t converted = broadcast ? 1 : count;
  const bool sameBits = sameRepresentation(traits, type);
  if (sameBits)
    std::memcpy(out, in, converted * size);
  for (std::size_t i = 0; i < converted && !sameBits; ++i)
    storeElement(loadHost(in + i * traits.size, traits), type, out + i * size, what);
  for (std::size_t i = converted; i < count; ++i)
    std::memcpy(out + i * size, out, size);
}

std::int64_t readInteger(poplar::Type type, const void *p) {
  const TypeFacts &t = factsOf(type);
  return t.isSigned ? loadSigned(p, t.size) : static_cast<std::int64_t>(loadUnsigned(p, t.size));
}

double readElement(poplar::Type type, const void *p) {
  if (type == poplar::FLOAT || type == poplar::HALF || type == poplar::DOUBLE)
    return loadReal(p, sizeOf(type));
  if (type == poplar::UNSIGNED_LONGLONG || type == poplar::UNSIGNED_LONG)
    return static_cast<double>(loadUnsigned(p, 8));
  return static_cast<double>(readInteger(type, p));
}

std::uint16_t floatToHalf(float f) {
  std::uint32_t x;
  std::memcpy(&x, &f, sizeof(x));
  const std::uint32_t sign = (x >> 16) & 0x8000u;
  x &= 0x7fffffffu;
  if (x >= 0x7f800000u) // infinity or NaN
    return static_cast<std::uint16_t>(sign | 0x7c00u | (x > 0x7f800000u ? 0x200u : 0u));
  if (x >= 0x477ff000u) // rounds to 65536 or more
    return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (x < 0x38800000u) { // subnormal half: let the float adder round to multiples of 2^-24
    float magnitude;
    std::memcpy(&magnitude, &x, sizeof(magnitude));
    const float shifted = magnitude + 0.5f;
    std::uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    return static_cast<std::uint16_t>(sign | (bits - 0x3f000000u));
  }
  const std::uint32_t odd = (x >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((x - 0x38000000u + 0xfffu + odd) >> 13));
}

float halfToFloat(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  const std::uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0) {
    const float f = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -f : f;
  }
  const std::uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112u) << 23) | mantissa << 13;
  float f;
  std::memcpy(&f, &bits, sizeof(f));
  return f;
}

} // namespace dace_ipu_sim

namespace poplar {

std::string Type::toString() const { return dace_ipu_sim::factsOf(*this).name; }

} // namespace poplar
