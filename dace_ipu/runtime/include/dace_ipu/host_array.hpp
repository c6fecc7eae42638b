// An array of the caller: element type, shape and strides.
#ifndef DACE_IPU_HOST_ARRAY_HPP
#define DACE_IPU_HOST_ARRAY_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dace_ipu {

enum class HostType {
  Bool, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float16, Float32, Float64, Complex64, Complex128
};

/// Bytes of one element.
std::size_t size(HostType type);

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

} // namespace dace_ipu

#endif // DACE_IPU_HOST_ARRAY_HPP
