// An array of the caller: element type, shape and strides, and its way into and out of a contiguous buffer of device
// elements.
#ifndef DACE_IPU_HOST_ARRAY_HPP
#define DACE_IPU_HOST_ARRAY_HPP

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dace_ipu {

enum class HostType {
  Bool, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float16, Float32, Float64, Complex64, Complex128
};

/// Bytes of one element.
inline std::size_t size(HostType type) {
  static const std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16};
  return sizes[static_cast<int>(type)];
}

/// NumPy's name of an element type.
inline const char *name(HostType type) {
  static const char *const names[] = {"bool",   "int8",   "uint8",   "int16",   "uint16",  "int32",     "uint32",
                                      "int64",  "uint64", "float16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(type)];
}

/// The device type with the same bits; complex numbers are pairs of FLOAT.
inline poplar::Type deviceType(HostType type) {
  static const poplar::Type types[] = {
      poplar::BOOL,           poplar::SIGNED_CHAR,       poplar::UNSIGNED_CHAR, poplar::SHORT, poplar::UNSIGNED_SHORT,
      poplar::INT,            poplar::UNSIGNED_INT,      poplar::LONGLONG,      poplar::UNSIGNED_LONGLONG,
      poplar::HALF,           poplar::FLOAT,             poplar::DOUBLE,        poplar::FLOAT, poplar::DOUBLE};
  return types[static_cast<int>(type)];
}

inline unsigned components(HostType type) {
  return type == HostType::Complex64 || type == HostType::Complex128 ? 2 : 1;
}

/// The caller's array. Shape, strides and offset (of the first element behind `data`) count elements.
struct HostArray {
  const char *name;
  void *data;
  HostType type;
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset;

  std::size_t numElements() const {
    std::size_t count = 1;
    for (std::int64_t extent : shape)
      count *= extent > 0 ? static_cast<std::size_t>(extent) : 0;
    return count;
  }
  /// Row-major without gaps. A dimension of extent 1 may have any stride.
  bool isContiguous() const {
    std::int64_t expected = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (shape[d] != 1 && strides[d] != expected)
        return false;
      expected *= shape[d];
    }
    return true;
  }
  char *first() const { return static_cast<char *>(data) + offset * static_cast<std::int64_t>(size(type)); }
};

namespace detail {

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

inline CopyRun integers(poplar::Type from, poplar::Type to) {
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

inline CopyRun sameBits(std::size_t bytes) {
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
inline CopyRun conversion(poplar::Type from, poplar::Type to, unsigned components, std::size_t bytes) {
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

inline std::int64_t lastStride(const HostArray &array) {
  return (array.strides.empty() ? 1 : array.strides.back()) * static_cast<std::int64_t>(size(array.type));
}

[[noreturn]] inline void noConversion(const HostArray &array, poplar::Type type) {
  throw std::invalid_argument(std::string("the array '") + array.name + "' has elements of " + name(array.type) +
                              ", which do not convert to and from " + type.toString() + " on the device");
}

} // namespace detail

/// Whether the array's memory can be handed to a stream of `type` as it is.
inline bool isDirect(const HostArray &array, poplar::Type type) {
  return deviceType(array.type) == type && array.isContiguous();
}

/// Copies the array into a buffer of device elements, row-major, converting them.
/// Throws std::invalid_argument if there is no conversion.
inline void pack(const HostArray &array, poplar::Type type, std::size_t typeSize, char *buffer) {
  const unsigned parts = components(array.type);
  const auto copy = detail::conversion(deviceType(array.type), type, parts, size(array.type));
  if (copy == nullptr)
    detail::noConversion(array, type);
  const std::size_t element = typeSize * parts;
  detail::forEachRun(array, [&](const char *place, std::size_t number, std::size_t run) {
    copy(place, detail::lastStride(array), buffer + number * element, static_cast<std::int64_t>(element), run);
  });
}

/// Copies a buffer of device elements into the array, the reverse of pack.
/// Throws std::invalid_argument if there is no conversion.
inline void unpack(const char *buffer, poplar::Type type, std::size_t typeSize, const HostArray &array) {
  const unsigned parts = components(array.type);
  const auto copy = detail::conversion(type, deviceType(array.type), parts, size(array.type));
  if (copy == nullptr)
    detail::noConversion(array, type);
  const std::size_t element = typeSize * parts;
  detail::forEachRun(array, [&](char *place, std::size_t number, std::size_t run) {
    copy(buffer + number * element, static_cast<std::int64_t>(element), place, detail::lastStride(array), run);
  });
}

} // namespace dace_ipu

#endif // DACE_IPU_HOST_ARRAY_HPP
