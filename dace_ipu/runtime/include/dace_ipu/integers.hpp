// Integer arithmetic and sizes for graph-building code, where DaCe's expressions are signed and Poplar's sizes are not.
#ifndef DACE_IPU_INTEGERS_HPP
#define DACE_IPU_INTEGERS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace dace_ipu {

/// The quotient rounded towards minus infinity, as in Python. Throws std::domain_error for a divisor of 0.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw std::domain_error("the size " + std::to_string(a) + " is divided by 0");
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/// The remainder with the sign of the divisor, as in Python. Throws std::domain_error for a divisor of 0.
inline std::int64_t mod(std::int64_t a, std::int64_t b) { return a - floor_div(a, b) * b; }

/// The quotient rounded up, of numbers that are not negative; b > 0.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// base to the power of exponent. Throws std::domain_error for a negative exponent.
inline std::int64_t ipow(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0)
    throw std::domain_error("a size has the exponent " + std::to_string(exponent));
  std::int64_t power = 1;
  for (; exponent > 0; --exponent)
    power *= base;
  return power;
}

namespace detail {

inline std::vector<std::size_t> sizes(const char *what, std::initializer_list<std::int64_t> values) {
  std::vector<std::size_t> result;
  for (std::int64_t value : values) {
    if (value < 0)
      throw std::out_of_range(std::string("a ") + what + " of a tensor is negative: " + std::to_string(value));
    result.push_back(static_cast<std::size_t>(value));
  }
  return result;
}

} // namespace detail

/// More than the elements of any tensor: 64 IPUs have 2^36 bytes of tile memory.
constexpr std::int64_t mostElements = std::int64_t(1) << 38;

/// More than the iterations of any map, so few that products with numbers of tiles fit into 64 bits.
constexpr std::int64_t mostIterations = std::int64_t(1) << 47;

/// The product of `factors`, none of them negative. Throws std::length_error that names `what` if it exceeds `most`.
inline std::int64_t checked_product(const char *what, std::int64_t most, const std::vector<std::int64_t> &factors) {
  for (std::int64_t factor : factors)
    if (factor == 0)
      return 0;
  std::int64_t product = 1;
  for (std::int64_t factor : factors) {
    if (factor > most / product)
      throw std::length_error(std::string(what) + " are more than any machine can hold, with " +
                              std::to_string(factor) + " along one dimension");
    product *= factor;
  }
  return product;
}

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
inline unsigned count(std::int64_t turns) {
  if (turns > std::numeric_limits<unsigned>::max())
    throw std::out_of_range("a loop on the device runs " + std::to_string(turns) + " times, more than 32 bits hold");
  return turns < 0 ? 0 : static_cast<unsigned>(turns);
}

} // namespace dace_ipu

#endif // DACE_IPU_INTEGERS_HPP
