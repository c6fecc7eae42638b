// Integer arithmetic and sizes for graph-building code, where DaCe's expressions are signed and Poplar's sizes are not.
#ifndef DACE_IPU_INTEGERS_HPP
#define DACE_IPU_INTEGERS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace dace_ipu {

/// The quotient rounded towards minus infinity, as in Python. Throws std::domain_error for a divisor of 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b);

/// The remainder with the sign of the divisor, as in Python. Throws std::domain_error for a divisor of 0.
inline std::int64_t mod(std::int64_t a, std::int64_t b) { return a - floor_div(a, b) * b; }

/// The quotient rounded up, of numbers that are not negative; b > 0.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// base to the power of exponent. Throws std::domain_error for a negative exponent.
std::int64_t ipow(std::int64_t base, std::int64_t exponent);

namespace detail {

std::vector<std::size_t> sizes(const char *what, std::initializer_list<std::int64_t> values);

} // namespace detail

/// More than the elements of any tensor: 64 IPUs have 2^36 bytes of tile memory.
constexpr std::int64_t mostElements = std::int64_t(1) << 38;

/// More than the iterations of any map, so few that products with numbers of tiles fit into 64 bits.
constexpr std::int64_t mostIterations = std::int64_t(1) << 47;

/// The product of `factors`, none of them negative. Throws std::length_error that names `what` if it exceeds `most`.
std::int64_t checked_product(const char *what, std::int64_t most, const std::vector<std::int64_t> &factors);

/// A shape for Graph::addVariable. Throws std::out_of_range if an extent is negative and std::length_error if the
/// elements are more than mostElements.
template <typename... Integers> std::vector<std::size_t> shape(Integers... extents) {
  std::vector<std::size_t> result = detail::sizes("dimension", {static_cast<std::int64_t>(extents)...});
  checked_product("the elements of a tensor", mostElements, {static_cast<std::int64_t>(extents)...});
  return result;
}

/// A corner for Tensor::slice. Throws std::out_of_range if an index is negative.
template <typename... Integers> std::vector<std::size_t> at(Integers... indices) {
  return detail::sizes("slice", {static_cast<std::int64_t>(indices)...});
}

/// A number of turns for program::Repeat, none if it is negative. Throws std::out_of_range if it exceeds 32 bits.
unsigned count(std::int64_t turns);

} // namespace dace_ipu

#endif // DACE_IPU_INTEGERS_HPP
