// Single numbers as halves and back.
#include "fixture.hpp"

#include <popfloat/experimental/CastToHalf.hpp>

#include <cmath>
#include <limits>

using popfloat::experimental::halfToSingle;
using popfloat::experimental::singleToHalf;

TEST(single_numbers_as_halves) {
  CHECK_EQ(singleToHalf(1.0f), 0x3c00);
  CHECK_EQ(singleToHalf(-0.1f), 0xae66);
  CHECK_EQ(singleToHalf(0x1p-24f), 1); // the smallest
  CHECK_EQ(singleToHalf(0x1p-26f), 0);
  CHECK_EQ(singleToHalf(2049), 0x6800); // to even
  CHECK_EQ(singleToHalf(65504), 0x7bff);
  CHECK_EQ(singleToHalf(-1e6f), 0xfc00);
  CHECK(std::isnan(halfToSingle(singleToHalf(1e6f, true))));
  CHECK(std::isnan(halfToSingle(singleToHalf(std::numeric_limits<float>::quiet_NaN()))));
  for (unsigned bits = 0; bits < 0x7c00; bits += 7)
    CHECK_EQ(singleToHalf(halfToSingle(static_cast<std::uint16_t>(bits))), bits);
}
