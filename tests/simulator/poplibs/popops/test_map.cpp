// Expressions.
#include "element_wise.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace popops::expr;

namespace pe = popops::expr;

TEST(an_expression_is_computed_for_every_element) {
  Fixture f;
  const Tensor a = f.spread("a", {3, 4}, 4), b = f.variable("b", {4}, 2);
  f.expose("r", popops::map(f.graph, (_1 + 2) * pe::Max(_2, Const(1.0f)) - _1 / 4, {a, b}, f.prog));
  f.expose("c", popops::map(f.graph, Select(_1, -_1, _1 % 2 == 0.0f), {a}, f.prog));
  Engine e = f.engine();
  write(e, "a", iota(12));
  write(e, "b", iota(4));
  e.run();
  const auto r = readFloats(e, "r", 12), c = readFloats(e, "c", 12);
  for (std::size_t i = 0; i < 12; ++i) {
    const float x = static_cast<float>(i), y = std::max(1.0f, static_cast<float>(i % 4));
    CHECK_EQ(r[i], (x + 2) * y - x / 4);
    CHECK_EQ(c[i], i % 2 ? -x : x);
  }
}

TEST(constants_beside_each_other_take_the_type_of_the_tensor_beside_them) {
  Fixture f;
  const Tensor a = f.variable("a", {2}), n = f.variable("n", {2}, 0, INT);
  f.expose("r", popops::map(f.graph, _1 * (Const(1) / Const(2)), {a}, f.prog));
  f.expose("s", popops::map(f.graph, pe::Cast(_2, FLOAT) + _1 + pe::Cast(_2 > 1, FLOAT), {a, n}, f.prog));
  f.expose("k", popops::map(f.graph, Const(2) + Const(3), {a}, f.prog));
  Engine e = f.engine();
  write(e, "a", iota(2, 1));
  write(e, "n", std::vector<int>{1, 2});
  e.run();
  CHECK(readFloats(e, "r", 2) == (std::vector<float>{0.5f, 1}));
  CHECK(readFloats(e, "s", 2) == (std::vector<float>{2, 5}));
  CHECK_EQ(readAll<int>(e, "k", 1)[0], 5);
}

TEST(in_place_reads_the_old_value_everywhere) {
  Fixture f;
  const Tensor a = f.spread("a", 10, 3), b = f.spread("b", 10, 2);
  popops::mapInPlace(f.graph, (_1 + _2) * (_1 - _2), {a, b}, f.prog);
  popops::mapInPlace(f.graph, std::vector<Any>{_2, _1}, {a, b}, f.prog);
  popops::mapInPlace(f.graph, BinaryOpType::ADD, b, b.reverse(0), f.prog);
  Engine e = f.engine();
  write(e, "a", iota(10));
  write(e, "b", iota(10, 1));
  e.run();
  const auto a1 = readFloats(e, "a", 10), b1 = readFloats(e, "b", 10);
  const auto product = [](float x) { return (x + x + 1) * (x - x - 1); };
  for (std::size_t i = 0; i < 10; ++i) {
    const float x = static_cast<float>(i);
    CHECK_EQ(a1[i], x + 1);
    CHECK_EQ(b1[i], product(x) + product(9 - x));
  }
}

TEST(a_placeholder_alone_is_copied) {
  Fixture f;
  const Tensor a = f.variable("a", {2}), out = f.variable("out", {3, 2});
  popops::mapWithOutput(f.graph, _1, {a}, out, f.prog);
  f.expose("copy", popops::map(f.graph, _1, {a}, f.prog));
  popops::mapInPlace(f.graph, Const(7), {a}, f.prog);
  Engine e = f.engine();
  write(e, "a", iota(2));
  e.run();
  CHECK(readFloats(e, "out", 6) == (std::vector<float>{0, 1, 0, 1, 0, 1}));
  CHECK(readFloats(e, "copy", 2) == (std::vector<float>{0, 1}));
  CHECK(readFloats(e, "a", 2) == (std::vector<float>{7, 7}));
}

TEST(expressions_have_names_and_are_compared) {
  Fixture f;
  const Tensor a = f.variable("a", {2});
  const Any e = _1 + Const(2.0f);
  CHECK_EQ(e.name({a}), "add(_1:float,float{2.000000})");
  CHECK(deepEquals(e, _1 + 2.0f));
  CHECK(!deepEquals(e, _1 + 2));
  CHECK(!deepEquals(e, _2 + 2.0f));
  std::ostringstream text;
  static_cast<const Expr &>(e).print(text, 0, false);
  CHECK_EQ(text.str(), "add(_1, Const<float>(2.000000))");
  CHECK_THROWS(popops::map(f.graph, _1 + _2, {a}, f.prog, "sum"), poputil::poplibs_error, "an input _2");
}
