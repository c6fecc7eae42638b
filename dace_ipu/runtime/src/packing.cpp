#include "packing.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dace_ipu {

std::size_t size(HostType type) {
  static const std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16};
  return sizes[static_cast<int>(type)];
}

const char *name(HostType type) {
  static const char *const names[] = {"bool",   "int8",   "uint8",   "int16",   "uint16",  "int32",     "uint32",
                                      "int64",  "uint64", "float16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(type)];
}

poplar::Type deviceType(HostType type) {
  static const poplar::Type types[] = {
      poplar::BOOL,           poplar::SIGNED_CHAR,       poplar::UNSIGNED_CHAR, poplar::SHORT, poplar::UNSIGNED_SHORT,
      poplar::INT,            poplar::UNSIGNED_INT,      poplar::LONGLONG,      poplar::UNSIGNED_LONGLONG,
      poplar::HALF,           poplar::FLOAT,             poplar::DOUBLE,        poplar::FLOAT, poplar::DOUBLE};
  return types[static_cast<int>(type)];
}

namespace {

/// Copies `count` elements of `components` numbers each, from and to places that lie a number of bytes apart.
using CopyRun = void (*)(const char *from, std::int64_t fromStride, char *to, std::int64_t toStride, std::size_t count);

/// Unchanged bits, whatever they are.
template <std::size_t bytes>
void copyBits(const char *from, std::int64_t fromStride, char *to, std::int64_t toStride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, from += fromStride, to += toStride)
    for (std::size_t b = 0; b < bytes; ++b)
      to[b] = from[b];
}

template <typename From, typename To, unsigned components>
void copyNumbers(const char *from, std::int64_t fromStride, char *to, std::int64_t toStride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, from += fromStride, to += toStride)
    for (unsigned c = 0; c < components; ++c)
      reinterpret_cast<To *>(to)[c] = static_cast<To>(reinterpret_cast<const From *>(from)[c]);
}

template <typename From> CopyRun integersFrom(poplar::Type type) {
  if (type == poplar::BOOL)
    return copyNumbers<From, bool, 1>;
  if (type == poplar::SIGNED_CHAR)
    return copyNumbers<From, signed char, 1>;
  if (type == poplar::UNSIGNED_CHAR)
    return copyNumbers<From, unsigned char, 1>;
  if (type == poplar::SHORT)
    return copyNumbers<From, std::int16_t, 1>;
  if (type == poplar::UNSIGNED_SHORT)
    return copyNumbers<From, std::uint16_t, 1>;
  if (type == poplar::INT)
    return copyNumbers<From, std::int32_t, 1>;
  if (type == poplar::UNSIGNED_INT)
    return copyNumbers<From, std::uint32_t, 1>;
  if (type == poplar::LONGLONG)
    return copyNumbers<From, std::int64_t, 1>;
  return type == poplar::UNSIGNED_LONGLONG ? copyNumbers<From, std::uint64_t, 1> : CopyRun(nullptr);
}

CopyRun integers(poplar::Type from, poplar::Type to) {
  if (from == poplar::BOOL)
    return integersFrom<bool>(to);
  if (from == poplar::SIGNED_CHAR)
    return integersFrom<signed char>(to);
  if (from == poplar::UNSIGNED_CHAR)
    return integersFrom<unsigned char>(to);
  if (from == poplar::SHORT)
    return integersFrom<std::int16_t>(to);
  if (from == poplar::UNSIGNED_SHORT)
    return integersFrom<std::uint16_t>(to);
  if (from == poplar::INT)
    return integersFrom<std::int32_t>(to);
  if (from == poplar::UNSIGNED_INT)
    return integersFrom<std::uint32_t>(to);
  if (from == poplar::LONGLONG)
    return integersFrom<std::int64_t>(to);
  return from == poplar::UNSIGNED_LONGLONG ? integersFrom<std::uint64_t>(to) : CopyRun(nullptr);
}

CopyRun sameBits(std::size_t bytes) {
  switch (bytes) {
  case 1:
    return copyBits<1>;
  case 2:
    return copyBits<2>;
  case 4:
    return copyBits<4>;
  default:
    return copyBits<8>;
  }
}

/// How numbers of type `from` become numbers of type `to`; null if they do not.
CopyRun conversion(poplar::Type from, poplar::Type to, unsigned components, std::size_t bytes) {
  if (from == to)
    return sameBits(bytes);
  if (from == poplar::DOUBLE && to == poplar::FLOAT)
    return components == 2 ? copyNumbers<double, float, 2> : copyNumbers<double, float, 1>;
  if (from == poplar::FLOAT && to == poplar::DOUBLE)
    return components == 2 ? copyNumbers<float, double, 2> : copyNumbers<float, double, 1>;
  return integers(from, to);
}

/// Calls visit(host place, number of the element) for the first element of each run of the last dimension.
template <typename Visit> void forEachRun(const HostArray &array, Visit visit) {
  const std::size_t rank = array.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  const std::size_t run = rank == 0 ? 1 : static_cast<std::size_t>(array.shape.back());
  for (std::size_t done = 0, total = array.numElements(); done < total; done += run) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d + 1 < rank; ++d)
      place += index[d] * array.strides[d];
    visit(array.first() + place * static_cast<std::int64_t>(size(array.type)), done, run);
    for (std::size_t d = rank < 2 ? 0 : rank - 1; d-- > 0;) {
      if (++index[d] < array.shape[d])
        break;
      index[d] = 0;
    }
  }
}

std::int64_t lastStride(const HostArray &array) {
  return (array.strides.empty() ? 1 : array.strides.back()) * static_cast<std::int64_t>(size(array.type));
}

[[noreturn]] void noConversion(const HostArray &array, poplar::Type type) {
  throw std::invalid_argument(std::string("the array '") + array.name + "' has elements of " + name(array.type) +
                              ", which do not convert to and from " + type.toString() + " on the device");
}

} // namespace

bool isDirect(const HostArray &array, poplar::Type type) {
  return deviceType(array.type) == type && array.isContiguous();
}

void pack(const HostArray &array, poplar::Type type, std::size_t typeSize, char *buffer) {
  const unsigned parts = components(array.type);
  const auto copy = conversion(deviceType(array.type), type, parts, size(array.type));
  if (copy == nullptr)
    noConversion(array, type);
  const std::size_t element = typeSize * parts;
  forEachRun(array, [&](const char *place, std::size_t number, std::size_t run) {
    copy(place, lastStride(array), buffer + number * element, static_cast<std::int64_t>(element), run);
  });
}

void unpack(const char *buffer, poplar::Type type, std::size_t typeSize, const HostArray &array) {
  const unsigned parts = components(array.type);
  const auto copy = conversion(type, deviceType(array.type), parts, size(array.type));
  if (copy == nullptr)
    noConversion(array, type);
  const std::size_t element = typeSize * parts;
  forEachRun(array, [&](char *place, std::size_t number, std::size_t run) {
    copy(buffer + number * element, static_cast<std::int64_t>(element), place, lastStride(array), run);
  });
}

} // namespace dace_ipu
