// TypeTraits: what a host value looks like, so that libpoplar can convert it without templates.
#ifndef poplar_TypeTraits_hpp
#define poplar_TypeTraits_hpp

#include <cstddef>
#include <type_traits>

namespace poplar {

class IeeeHalf;

/// Size, alignment (bytes) and number class of a host type.
struct TypeTraits {
  std::size_t size;
  std::size_t align;
  bool isFloat;
  bool isSigned;
  bool isBool;

  /// True for the types that the scalar overloads of Graph take.
  template <typename T> static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value || std::is_same<T, IeeeHalf>::value;
  }
  template <typename T> static constexpr TypeTraits make() {
    return {sizeof(T), alignof(T), std::is_floating_point<T>::value || std::is_same<T, IeeeHalf>::value,
            std::is_signed<T>::value, std::is_same<T, bool>::value};
  }
};

} // namespace poplar

#endif
