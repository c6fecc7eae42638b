// Named element-wise operations.
#include "element_wise.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace poplar;

namespace {

using Unary = Tensor (*)(Graph &, const Tensor &, program::Sequence &, const DebugContext &, const OptionFlags &);

struct UnaryCase {
  Unary op;
  float (*expected)(float);
};

bool isClose(float a, float b, float tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance * std::max(1.0f, std::fabs(b));
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
float gelu(float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); }

const UnaryCase unaryCases[] = {
    {popops::abs, [](float x) { return std::fabs(x); }},
    {popops::asin, [](float x) { return std::asin(x); }},
    {popops::cbrt, [](float x) { return std::cbrt(x); }},
    {popops::ceil, [](float x) { return std::ceil(x); }},
    {popops::cos, [](float x) { return std::cos(x); }},
    {popops::erf, [](float x) { return std::erf(x); }},
    {popops::exp, [](float x) { return std::exp(x); }},
    {popops::expm1, [](float x) { return std::expm1(x); }},
    {popops::exp2, [](float x) { return std::exp2(x); }},
    {popops::floor, [](float x) { return std::floor(x); }},
    {popops::geluErf, gelu},
    {popops::inv, [](float x) { return 1 / x; }},
    {popops::log, [](float x) { return std::log(x); }},
    {popops::log1p, [](float x) { return std::log1p(x); }},
    {popops::neg, [](float x) { return -x; }},
    {popops::nearbyint, [](float x) { return std::nearbyint(x); }},
    {popops::relu, [](float x) { return x > 0 ? x : 0; }},
    {popops::round, [](float x) { return std::round(x); }},
    {popops::rsqrt, [](float x) { return 1 / std::sqrt(x); }},
    {popops::sigmoid, sigmoid},
    {popops::signum, [](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }},
    {popops::sin, [](float x) { return std::sin(x); }},
    {popops::sqrt, [](float x) { return std::sqrt(x); }},
    {popops::square, [](float x) { return x * x; }},
    {popops::tan, [](float x) { return std::tan(x); }},
    {popops::tanh, [](float x) { return std::tanh(x); }},
    {popops::trunc, [](float x) { return std::trunc(x); }},
};

const std::vector<float> samples = {-2.5f, -1.5f, -1, -0.75f, -0.5f, 0, 0.25f, 0.5f, 1, 1.5f, 2.5f, 3};

void checkUnary(const Type &type, float tolerance) {
  Fixture f;
  const Tensor x = f.spread("x", samples.size(), 5);
  const Tensor in = popops::cast(f.graph, x, type, f.prog);
  unsigned i = 0;
  for (const UnaryCase &c : unaryCases)
    f.expose("y" + std::to_string(i++), popops::cast(f.graph, c.op(f.graph, in, f.prog, {}, {}), FLOAT, f.prog));
  Engine e = f.engine();
  write(e, "x", samples);
  e.run();
  for (i = 0; i < sizeof(unaryCases) / sizeof(*unaryCases); ++i) {
    const auto got = readFloats(e, "y" + std::to_string(i), samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k)
      CHECK(isClose(got[k], unaryCases[i].expected(samples[k]), tolerance));
  }
}

/// Runs op(a, b) -> out for two arrays.
template <typename T, typename Out = T, typename F>
std::vector<Out> binary(const std::vector<T> &a, const std::vector<T> &b, F op, unsigned tiles = 3) {
  Fixture f;
  const Tensor x = f.spread("x", a.size(), tiles, typeOf<T>());
  const Tensor y = f.variable("y", {b.size()}, 1, typeOf<T>());
  f.expose("z", op(f.graph, x, y, f.prog, "op", OptionFlags{}));
  Engine e = f.engine();
  write(e, "x", a);
  write(e, "y", b);
  e.run();
  return readAll<Out>(e, "z", a.size());
}

using Binary = Tensor (*)(Graph &, const Tensor &, const Tensor &, program::Sequence &, const DebugContext &,
                          const OptionFlags &);

template <typename T> void checkIntegers(std::vector<T> a, std::vector<T> b) {
  const auto expect = [&](Binary op, T (*expected)(T, T)) {
    const auto got = binary<T, T>(a, b, op);
    for (std::size_t i = 0; i < a.size(); ++i)
      CHECK_EQ(+got[i], +expected(a[i], b[i]));
  };
  expect(popops::add, [](T x, T y) { return static_cast<T>(x + y); });
  expect(popops::sub, [](T x, T y) { return static_cast<T>(x - y); });
  expect(popops::mul, [](T x, T y) { return static_cast<T>(x * y); });
  expect(popops::div, [](T x, T y) { return static_cast<T>(x / y); });
  expect(popops::rem, [](T x, T y) { return static_cast<T>(x % y); });
  expect(popops::max, [](T x, T y) { return std::max(x, y); });
  expect(popops::min, [](T x, T y) { return std::min(x, y); });
  expect(popops::bitwiseAnd, [](T x, T y) { return static_cast<T>(x & y); });
  expect(popops::bitwiseOr, [](T x, T y) { return static_cast<T>(x | y); });
  expect(popops::bitwiseXor, [](T x, T y) { return static_cast<T>(x ^ y); });
  expect(popops::bitwiseXnor, [](T x, T y) { return static_cast<T>(~(x ^ y)); });
  const auto less = binary<T, char>(a, b, Binary(popops::lt));
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK_EQ(less[i] != 0, a[i] < b[i]);
}

} // namespace

TEST(unary_operations_on_floats) { checkUnary(FLOAT, 1e-6f); }
TEST(unary_operations_on_halves) { checkUnary(HALF, 2e-3f); }

TEST(integers_of_all_sizes) {
  checkIntegers<int>({7, -7, 7, -7, 100, 1}, {2, 2, -2, -2, 3, 1});
  checkIntegers<unsigned>({7, 8, 4000000000u, 5}, {2, 3, 5, 7});
  checkIntegers<short>({7, -7, 300, -300}, {2, 2, -7, -7});
  checkIntegers<unsigned short>({7, 60000, 3}, {2, 7, 5});
  checkIntegers<signed char>({7, -7, 100}, {2, 2, -3});
  checkIntegers<unsigned char>({7, 250, 3}, {2, 7, 5});
  checkIntegers<long long>({7, -7, 1LL << 40, -(1LL << 40)}, {2, 2, 3, -7});
  checkIntegers<unsigned long long>({7, 1ULL << 63, 3}, {2, 7, 5});
}

TEST(shifts_by_any_amount) {
  const std::vector<int> x = {-8, -8, -8, 5, 5}, n = {1, 31, 40, 2, 32};
  CHECK(binary<int>(x, n, Binary(popops::shiftLeft)) == (std::vector<int>{-16, 0, 0, 20, 0}));
  CHECK(binary<int>(x, n, Binary(popops::shiftRight)) == (std::vector<int>{0x7ffffffc, 1, 0, 1, 0}));
  CHECK(binary<int>(x, n, Binary(popops::shiftRightSignExtend)) == (std::vector<int>{-4, -1, -1, 1, 0}));
}

TEST(division_by_zero_and_overflow_are_defined) {
  const int lowest = std::numeric_limits<int>::min();
  CHECK(binary<int>({5, lowest, 0}, {0, -1, 0}, Binary(popops::div)) == (std::vector<int>{0, lowest, 0}));
  CHECK(binary<int>({5, lowest, 0}, {0, -1, 0}, Binary(popops::rem)) == (std::vector<int>{0, 0, 0}));
}

TEST(bits_are_counted) {
  Fixture f;
  const Tensor x = f.variable("x", {4}, 0, UNSIGNED_INT);
  f.expose("ones", popops::popcount(f.graph, x, f.prog));
  f.expose("zeros", popops::countLeadingZeros(f.graph, x, f.prog));
  Engine e = f.engine();
  write(e, "x", std::vector<unsigned>{0, 1, 0xff, 0x80000000u});
  e.run();
  CHECK(readAll<unsigned>(e, "ones", 4) == (std::vector<unsigned>{0, 1, 8, 1}));
  CHECK(readAll<unsigned>(e, "zeros", 4) == (std::vector<unsigned>{32, 31, 24, 0}));
}

TEST(floats_have_remainders_powers_and_angles) {
  const std::vector<float> x = {5.5f, -5.5f, 2}, y = {2, 2, 0.5f};
  const auto remainder = binary<float, float>(x, y, Binary(popops::rem));
  const auto power = binary<float, float>(x, y, Binary(popops::pow));
  const auto angle = binary<float, float>(x, y, Binary(popops::atan2));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(isClose(remainder[i], std::fmod(x[i], y[i]), 1e-6f));
    CHECK(isClose(power[i], std::pow(x[i], y[i]), 1e-6f));
    CHECK(isClose(angle[i], std::atan2(x[i], y[i]), 1e-6f));
  }
}

TEST(shapes_are_broadcast_and_follow_the_larger_operand) {
  Fixture f;
  const Tensor row = f.variable("row", {1, 5}, 2), column = f.variable("column", {7, 1}, 3);
  const Tensor full = f.spread("full", {7, 5}, 7), one = f.variable("one", {}, 1);
  f.expose("outer", popops::mul(f.graph, row, column, f.prog));
  const Tensor sum = popops::add(f.graph, row, full, f.prog);
  CHECK(f.graph.getTileMapping(sum) == f.graph.getTileMapping(full));
  f.expose("sum", sum);
  f.expose("shifted", popops::sub(f.graph, one, full, f.prog));
  Engine e = f.engine();
  write(e, "row", iota(5));
  write(e, "column", iota(7));
  write(e, "full", iota(35));
  write(e, "one", iota(1, 100));
  e.run();
  const auto outer = readFloats(e, "outer", 35), added = readFloats(e, "sum", 35), shifted = readFloats(e, "shifted", 35);
  for (std::size_t i = 0; i < 35; ++i) {
    CHECK_EQ(outer[i], static_cast<float>((i / 5) * (i % 5)));
    CHECK_EQ(added[i], static_cast<float>(i + i % 5));
    CHECK_EQ(shifted[i], 100 - static_cast<float>(i));
  }
}

TEST(results_replace_an_operand_even_if_the_other_overlaps) {
  Fixture f;
  const Tensor x = f.spread("x", 40, 4);
  popops::addInPlace(f.graph, x.slice(1, 40), x.slice(0, 39), f.prog);
  popops::mulInPlace(f.graph, x, 2, f.prog);
  popops::expInPlace(f.graph, x.slice(0, 1), f.prog);
  popops::squareWithOutput(f.graph, x.reshape({5, 8}).transpose().slice(3, 5), x.reshape({5, 8}).transpose().slice(3, 5),
                           f.prog);
  Engine e = f.engine();
  write(e, "x", iota(40));
  e.run();
  const auto got = readFloats(e, "x", 40);
  CHECK_EQ(got[0], 1);
  for (std::size_t i = 1; i < 40; ++i) {
    const float doubled = 2 * static_cast<float>(2 * i - 1);
    CHECK_EQ(got[i], i % 8 == 3 || i % 8 == 4 ? doubled * doubled : doubled);
  }
}

TEST(constants_take_the_type_of_the_tensor) {
  Fixture f;
  const Tensor x = f.variable("x", {3}, 0, INT), h = popops::cast(f.graph, x, HALF, f.prog);
  f.expose("a", popops::sub(f.graph, 10, x, f.prog));
  f.expose("b", popops::cast(f.graph, popops::mul(f.graph, h, 0.5f, f.prog), FLOAT, f.prog));
  f.expose("c", popops::gt(f.graph, x, 1u, f.prog));
  Engine e = f.engine();
  write(e, "x", std::vector<int>{1, 2, 3});
  e.run();
  CHECK(readAll<int>(e, "a", 3) == (std::vector<int>{9, 8, 7}));
  CHECK(readFloats(e, "b", 3) == (std::vector<float>{0.5f, 1, 1.5f}));
  CHECK(readAll<char>(e, "c", 3) == (std::vector<char>{0, 1, 1}));
}

TEST(select_and_clamp) {
  Fixture f;
  const Tensor x = f.spread("x", {2, 3}, 3), y = f.variable("y", {3}), zero = f.graph.addConstant(FLOAT, {}, 0);
  f.graph.setTileMapping(zero, 0);
  f.expose("s", popops::select(f.graph, x, y, popops::gt(f.graph, x, y, f.prog), f.prog));
  f.expose("c", popops::clamp(f.graph, x, zero, y, f.prog));
  popops::clampInPlace(f.graph, x, zero, zero, f.prog);
  Engine e = f.engine();
  write(e, "x", std::vector<float>{-1, 5, 2, 9, 1, 3});
  write(e, "y", std::vector<float>{1, 4, 3});
  e.run();
  CHECK(readFloats(e, "s", 6) == (std::vector<float>{1, 5, 3, 9, 4, 3}));
  CHECK(readFloats(e, "c", 6) == (std::vector<float>{0, 4, 2, 1, 1, 3}));
  CHECK(readFloats(e, "x", 6) == std::vector<float>(6, 0.0f));
}

TEST(special_values_are_found) {
  Fixture f;
  const Tensor x = f.variable("x", {4});
  f.expose("n", popops::isNaN(f.graph, x, f.prog));
  f.expose("i", popops::isInf(f.graph, x, f.prog));
  f.expose("f", popops::logicalNot(f.graph, popops::isFinite(f.graph, x, f.prog), f.prog));
  Engine e = f.engine();
  const float infinity = std::numeric_limits<float>::infinity();
  write(e, "x", std::vector<float>{1, std::nanf(""), infinity, -infinity});
  e.run();
  CHECK(readAll<char>(e, "n", 4) == (std::vector<char>{0, 1, 0, 0}));
  CHECK(readAll<char>(e, "i", 4) == (std::vector<char>{0, 0, 1, 1}));
  CHECK(readAll<char>(e, "f", 4) == (std::vector<char>{0, 1, 1, 1}));
}

TEST(empty_tensors_and_scalars) {
  Fixture f;
  const Tensor empty = f.variable("empty", {0, 3}), scalar = f.variable("scalar", {});
  CHECK_EQ(popops::add(f.graph, empty, empty, f.prog).numElements(), 0u);
  CHECK_EQ(popops::add(f.graph, empty, scalar, f.prog).numElements(), 0u);
  f.expose("s", popops::add(f.graph, scalar, scalar, f.prog));
  Engine e = f.engine();
  write(e, "scalar", iota(1, 3));
  e.run();
  CHECK_EQ(readFloats(e, "s", 1)[0], 6);
}

TEST(operands_may_have_more_leading_dimensions_of_size_one) {
  Fixture f;
  const Tensor scalar = f.variable("scalar", {}), row = f.variable("row", {3});
  popops::addInPlace(f.graph, scalar, f.variable("one", {1, 1}), f.prog);
  popops::mulInPlace(f.graph, row, f.variable("factors", {1, 3}), f.prog);
  Engine e = f.engine();
  write(e, "scalar", std::vector<float>{1});
  write(e, "one", std::vector<float>{4});
  write(e, "row", iota(3));
  write(e, "factors", std::vector<float>{5, 6, 7});
  e.run();
  CHECK_EQ(readFloats(e, "scalar", 1)[0], 5);
  CHECK(readFloats(e, "row", 3) == (std::vector<float>{0, 6, 14}));
}

TEST(what_does_not_fit_is_reported) {
  Fixture f;
  const Tensor x = f.variable("x", {3}), n = f.variable("n", {3}, 0, INT), four = f.variable("four", {4});
  using poputil::poplibs_error;
  CHECK_THROWS(popops::add(f.graph, x, n, f.prog, "sum"), poplibs_error, "popops::add (sum): operands have different types float and int");
  CHECK_THROWS(popops::add(f.graph, x, four, f.prog), poplibs_error, "do not broadcast");
  CHECK_THROWS(popops::logicalAnd(f.graph, x, x, f.prog), poplibs_error, "operands of type float are not supported");
  CHECK_THROWS(popops::sin(f.graph, n, f.prog), poplibs_error, "operands of type int");
  CHECK_THROWS(popops::gtInPlace(f.graph, x, x, f.prog), poplibs_error, "the result has type bool, the output float");
  CHECK_THROWS(popops::add(f.graph, x, x, f.prog, {}, {{"fast", "true"}}), invalid_option, "unrecognised option 'fast'");
}

TEST(casts_truncate_and_stay_in_range) {
  Fixture f;
  const Tensor x = f.spread("x", 5, 2);
  f.expose("i", popops::cast(f.graph, x, INT, f.prog));
  f.expose("c", popops::cast(f.graph, x, UNSIGNED_CHAR, f.prog));
  f.expose("b", popops::cast(f.graph, x, BOOL, f.prog));
  const Tensor wide = popops::cast(f.graph, x, LONGLONG, f.prog), same = popops::cast(f.graph, x, FLOAT, f.prog);
  f.expose("l", wide);
  f.expose("f", same);
  Engine e = f.engine();
  write(e, "x", std::vector<float>{1.75f, -1.75f, 1e20f, 0, 300});
  e.run();
  CHECK(readAll<int>(e, "i", 5) == (std::vector<int>{1, -1, std::numeric_limits<int>::max(), 0, 300}));
  CHECK(readAll<unsigned char>(e, "c", 5) == (std::vector<unsigned char>{1, 0, 255, 0, 255}));
  CHECK(readAll<char>(e, "b", 5) == (std::vector<char>{1, 1, 1, 0, 1}));
  CHECK_EQ(readAll<long long>(e, "l", 5)[4], 300);
  CHECK_EQ(readFloats(e, "f", 5)[0], 1.75f);
}
