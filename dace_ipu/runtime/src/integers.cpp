#include <dace_ipu/integers.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace dace_ipu {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw std::domain_error("the size " + std::to_string(a) + " is divided by 0");
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

std::int64_t ipow(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0)
    throw std::domain_error("a size has the exponent " + std::to_string(exponent));
  std::int64_t power = 1;
  for (; exponent > 0; --exponent)
    power *= base;
  return power;
}

namespace detail {

std::vector<std::size_t> sizes(const char *what, std::initializer_list<std::int64_t> values) {
  std::vector<std::size_t> result;
  for (std::int64_t value : values) {
    if (value < 0)
      throw std::out_of_range(std::string("a ") + what + " of a tensor is negative: " + std::to_string(value));
    result.push_back(static_cast<std::size_t>(value));
  }
  return result;
}

} // namespace detail

std::int64_t checked_product(const char *what, std::int64_t most, const std::vector<std::int64_t> &factors) {
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

unsigned count(std::int64_t turns) {
  if (turns > std::numeric_limits<unsigned>::max())
    throw std::out_of_range("a loop on the device runs " + std::to_string(turns) + " times, more than 32 bits hold");
  return turns < 0 ? 0 : static_cast<unsigned>(turns);
}

} // namespace dace_ipu
