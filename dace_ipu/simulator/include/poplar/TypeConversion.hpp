// Conversions between host values and device types.
#ifndef poplar_TypeConversion_hpp
#define poplar_TypeConversion_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>

namespace poplar {

/// Converts `count` host values to the device type, or back. Throws type_error for types the device lacks.
void convertToDeviceType(const Type &type, const void *src, const TypeTraits &traits, std::size_t count, void *dst);
void convertFromDeviceType(const Type &type, const void *src, const TypeTraits &traits, std::size_t count, void *dst);

template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> src, void *dst) {
  convertToDeviceType(type, src.data(), TypeTraits::make<T>(), src.size(), dst);
}
template <typename T> void convertFromDeviceType(const Type &type, const void *src, T *dst, std::size_t count) {
  convertFromDeviceType(type, src, TypeTraits::make<T>(), count, dst);
}

} // namespace poplar

#endif
