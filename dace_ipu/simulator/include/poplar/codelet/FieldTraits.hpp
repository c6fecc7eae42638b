// What a field is, from its C++ type: the columns of DaceIpuField that do not depend on the class.
#ifndef poplar_codelet_FieldTraits_hpp
#define poplar_codelet_FieldTraits_hpp

#include "../FieldTypes.hpp"
#include "../HalfFloat.hpp"
#include "../Quarter.hpp"
#include "../abi/codelet_module.h"

#include <type_traits>
#include <utility>

namespace dace_ipu_popc {

/// How Type::toString spells a type; null if the device has no such type. An enumeration is what it is stored as.
template <typename T> constexpr const char *typeName() {
  if constexpr (std::is_enum_v<T>)
    return typeName<std::underlying_type_t<T>>();
  else
    return nullptr;
}
template <> constexpr const char *typeName<bool>() { return "bool"; }
template <> constexpr const char *typeName<char>() { return "char"; }
template <> constexpr const char *typeName<signed char>() { return "signed char"; }
template <> constexpr const char *typeName<unsigned char>() { return "unsigned char"; }
template <> constexpr const char *typeName<short>() { return "short"; }
template <> constexpr const char *typeName<unsigned short>() { return "unsigned short"; }
template <> constexpr const char *typeName<int>() { return "int"; }
template <> constexpr const char *typeName<unsigned>() { return "unsigned int"; }
// The device's `long` has 32 bits and no tensor has it; a 64-bit `long` here is what int64_t is called on this host.
template <> constexpr const char *typeName<long>() { return sizeof(long) == 8 ? "long long" : "int"; }
template <> constexpr const char *typeName<unsigned long>() {
  return sizeof(long) == 8 ? "unsigned long long" : "unsigned int";
}
template <> constexpr const char *typeName<long long>() { return "long long"; }
template <> constexpr const char *typeName<unsigned long long>() { return "unsigned long long"; }
template <> constexpr const char *typeName<half>() { return "half"; }
template <> constexpr const char *typeName<float>() { return "float"; }
template <> constexpr const char *typeName<double>() { return "double"; }
template <> constexpr const char *typeName<poplar::quarter>() { return "quarter"; }

template <typename T> struct EdgeTraits {
  static constexpr int direction = DACE_IPU_NO_EDGE;
  using Target = T;
};
template <typename T> struct EdgeTraits<poplar::Input<T>> {
  static constexpr int direction = DACE_IPU_INPUT;
  using Target = T;
};
template <typename T> struct EdgeTraits<poplar::Output<T>> {
  static constexpr int direction = DACE_IPU_OUTPUT;
  using Target = T;
};
template <typename T> struct EdgeTraits<poplar::InOut<T>> {
  static constexpr int direction = DACE_IPU_INOUT;
  using Target = T;
};

template <typename T> struct VectorTraits {
  static constexpr bool isVector = false, isList = false;
  static constexpr int layout = DACE_IPU_NOT_A_VECTOR;
  static constexpr unsigned align = alignof(T);
  static constexpr bool interleaved = false;
  using Element = T;
};
template <typename T, poplar::VectorLayout Layout, std::size_t Align, bool Interleaved>
struct VectorTraits<poplar::Vector<T, Layout, Align, Interleaved>> {
  static constexpr bool isVector = true, isList = false;
  static constexpr int layout = static_cast<int>(Layout);
  static constexpr unsigned align = Align;
  static constexpr bool interleaved = Interleaved;
  using Element = T;
};
// The compressed list is accounted for as a list of small pointers; the ABI has no name for it.
template <typename T, poplar::VectorListLayout Layout, std::size_t Align, bool Interleaved>
struct VectorTraits<poplar::VectorList<T, Layout, Align, Interleaved>> {
  static constexpr bool isVector = true, isList = true;
  static constexpr int layout = DACE_IPU_COMPACT_PTR;
  static constexpr unsigned align = Align;
  static constexpr bool interleaved = Interleaved;
  using Element = T;
};
static_assert(static_cast<int>(poplar::VectorLayout::SPAN) == DACE_IPU_SPAN &&
                  static_cast<int>(poplar::VectorLayout::COMPACT_PTR) == DACE_IPU_COMPACT_PTR,
              "VectorLayout and DaceIpuVectorLayout number the layouts alike");

struct FieldShape {
  const char *type; // null: not supported
  unsigned element_size;
  uint8_t kind, direction, outer_layout, inner_layout;
  uint32_t min_align;
  uint8_t interleaved;
};

template <typename Rows>
constexpr FieldShape shapeWith(DaceIpuFieldKind kind, int direction, int outer, int inner) {
  using Element = std::remove_cv_t<typename Rows::Element>;
  return {typeName<Element>(),
          sizeof(Element),
          static_cast<uint8_t>(kind),
          static_cast<uint8_t>(direction),
          static_cast<uint8_t>(outer),
          static_cast<uint8_t>(inner),
          static_cast<uint32_t>(Rows::align),
          static_cast<uint8_t>(Rows::interleaved)};
}

/// The shape of a field of type F; `type` is null if a vertex may not have such a field.
template <typename F> constexpr FieldShape shapeOf() {
  if constexpr (std::is_reference_v<F> || std::is_array_v<F>) {
    return {};
  } else {
    using Field = EdgeTraits<std::remove_cv_t<F>>;
    using Outer = VectorTraits<std::remove_cv_t<typename Field::Target>>;
    using Inner = EdgeTraits<std::remove_cv_t<typename Outer::Element>>;
    using Rows = VectorTraits<std::remove_cv_t<typename Inner::Target>>;
    constexpr bool isEdge = Field::direction != DACE_IPU_NO_EDGE;
    constexpr bool hasEdges = Inner::direction != DACE_IPU_NO_EDGE;
    if constexpr (isEdge && Outer::isList)
      return shapeWith<Outer>(DACE_IPU_EDGE_LIST, Field::direction, DACE_IPU_SPAN, Outer::layout);
    else if constexpr (isEdge && Outer::isVector)
      return shapeWith<Outer>(DACE_IPU_VECTOR_EDGE, Field::direction, Outer::layout, 0);
    else if constexpr (isEdge)
      return shapeWith<Outer>(DACE_IPU_SCALAR_EDGE, Field::direction, 0, 0);
    else if constexpr (!Outer::isVector || Outer::isList)
      return shapeWith<Outer>(DACE_IPU_STATE, DACE_IPU_NO_EDGE, 0, 0);
    else if constexpr (!hasEdges)
      return shapeWith<Outer>(DACE_IPU_STATE_VECTOR, DACE_IPU_NO_EDGE, Outer::layout, 0);
    else if constexpr (!Rows::isVector)
      return shapeWith<Rows>(DACE_IPU_SCALAR_EDGE_LIST, Inner::direction, Outer::layout, 0);
    else if constexpr (!Rows::isList)
      return shapeWith<Rows>(DACE_IPU_EDGE_LIST, Inner::direction, Outer::layout, Rows::layout);
    else
      return {};
  }
}

} // namespace dace_ipu_popc

#endif
