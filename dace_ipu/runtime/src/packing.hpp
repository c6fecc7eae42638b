// The way of a caller's array into and out of a contiguous buffer of device elements.
#ifndef DACE_IPU_PACKING_HPP
#define DACE_IPU_PACKING_HPP

#include <dace_ipu/host_array.hpp>

#include <poplar/Type.hpp>

#include <cstddef>

namespace dace_ipu {

/// NumPy's name of an element type.
const char *name(HostType type);

/// The device type with the same bits; complex numbers are pairs of FLOAT.
poplar::Type deviceType(HostType type);

/// Whether the array's memory can be handed to a stream of `type` as it is.
bool isDirect(const HostArray &array, poplar::Type type);

/// Copies the array into a buffer of device elements, row-major, converting them.
/// Throws std::invalid_argument if there is no conversion.
void pack(const HostArray &array, poplar::Type type, std::size_t typeSize, char *buffer);

/// Copies a buffer of device elements into the array, the reverse of pack.
/// Throws std::invalid_argument if there is no conversion.
void unpack(const char *buffer, poplar::Type type, std::size_t typeSize, const HostArray &array);

} // namespace dace_ipu

#endif // DACE_IPU_PACKING_HPP
