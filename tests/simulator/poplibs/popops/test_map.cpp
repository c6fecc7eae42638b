// Expressions.
#include "element_wise.hpp"

#include <poplar/extensions/profile.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <set>
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

namespace {

// The first letters of a program's vertices.
std::set<std::string> vertices(Fixture &f) {
  Engine e = f.engine();
  const ProfileValue profile = e.getProfile();
  std::set<std::string> names;
  for (const ProfileValue &type : profile["vertexTypes"].asVector())
    names.insert(type["name"].asString().substr(0, 12));
  return names;
}

} // namespace

TEST(an_expression_becomes_one_vertex) {
  Fixture f(4);
  const Tensor a = f.spread("a", 20, 4), b = f.spread("b", 20, 4), one = f.variable("one", {1});
  popops::mapInPlace(f.graph, _1 + _2 * _3 - 0.5f, {a, b, one}, f.prog);
  CHECK(vertices(f) == std::set<std::string>{"popops::Map_"});
  Fixture g(4);
  const Tensor x = g.spread("x", {4, 5}, 4), row = g.spread("row", {5}, 1);
  popops::mapInPlace(g.graph, _1 + _2 * 2.0f, {x, row}, g.prog); // broadcast: one after another
  CHECK(vertices(g) == std::set<std::string>{"popops::Bina"});
  Fixture h(4);
  const Tensor y = h.spread("y", 20, 4);
  popops::mapInPlace(h.graph, _1 + 1.0f, {y}, h.prog, "forced", {{"forceGenerateCodelet", "true"}});
  popops::mapInPlace(h.graph, _1 * 2.0f + 1.0f, {y}, h.prog, "chain", {{"enableGenerateCodelet", "false"}});
  CHECK(vertices(h) == (std::set<std::string>{"popops::Map_", "popops::Bina"}));
}

TEST(one_vertex_and_one_after_another_give_the_same) {
  const auto check = [](const Any &e, const Type &type, const Type &result) {
    Fixture f(4);
    const Tensor a = f.spread("a", {6, 5}, 4, type), b = f.spread("b", {6, 5}, 3, type);
    const Tensor c = f.spread("c", {6, 5}, 2, BOOL), n = f.spread("n", {6, 5}, 2, INT),
                 one = f.variable("one", {}, 1, type);
    const std::vector<Tensor> inputs = {a, b, c, n, one};
    const Expr &expression = static_cast<const Expr &>(e);
    const Tensor fused = popops::map(f.graph, expression, inputs, f.prog, "fused", {{"forceGenerateCodelet", "true"}});
    const Tensor chain =
        popops::map(f.graph, expression, inputs, f.prog, "chain", {{"enableGenerateCodelet", "false"}});
    CHECK(fused.elementType() == result);
    f.expose("fused", fused);
    f.expose("chain", chain);
    Engine engine = f.engine();
    const std::size_t bytes = 30 * f.graph.getTarget().getTypeSize(type);
    std::vector<unsigned char> first(bytes), second(bytes);
    std::vector<std::uint16_t> numbers;
    for (unsigned i = 0; i < 2 * bytes; ++i) // small numbers of every type: halves from 0.5, floats, integers
      numbers.push_back(static_cast<std::uint16_t>(0x3800 + i * 37 % 0x700));
    std::copy_n(reinterpret_cast<const unsigned char *>(numbers.data()), bytes, first.data());
    std::copy_n(reinterpret_cast<const unsigned char *>(numbers.data()) + 2, bytes, second.data());
    engine.writeTensor("a", first.data(), first.data() + bytes);
    engine.writeTensor("b", second.data(), second.data() + bytes);
    engine.writeTensor("one", second.data(), second.data() + f.graph.getTarget().getTypeSize(type));
    std::vector<char> flags(30);
    for (unsigned i = 0; i < 30; ++i)
      flags[i] = i % 3 == 0;
    write(engine, "c", flags);
    write(engine, "n", std::vector<int>(30, 3));
    engine.run();
    const std::size_t size = 30 * f.graph.getTarget().getTypeSize(result);
    std::vector<char> x(size), y(size);
    engine.readTensor("fused", x.data(), x.data() + size);
    engine.readTensor("chain", y.data(), y.data() + size);
    CHECK(x == y);
  };
  for (const Type &type : {FLOAT, HALF}) {
    check(Tanh(_1) * Exp(-_2) + Sqrt(Abs(_1 - _2)) / 3.0f, type, type);
    check(Select(_1 * _5, pe::Max(_1, _2) - 1, _3 && _1 < _2), type, type);
    check(Clamp(_1, Const(0.75f), _2) + pe::Cast(_4, type) + pe::Pow(_2, _5), type, type);
    check(!(IsNaN(_1) || _1 >= _2 + 1), type, BOOL);
    check(pe::Cast(Round(_1 * 100) % 7.0f, INT) + (_4 << 2), type, INT);
  }
  check((_1 / _2 + _1 % 5) * (_2 & 0x7f) - (_1 >> 3), INT, INT);
  check(~(_1 ^ _2) | pe::Cast(_4, UNSIGNED_INT), UNSIGNED_INT, UNSIGNED_INT);
  check(_1 + (Const(1) / Const(2)) * _2, FLOAT, FLOAT);
}
