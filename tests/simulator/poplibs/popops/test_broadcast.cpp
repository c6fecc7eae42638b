// Operands that are repeated along some dimensions, in all layouts, and which vertices read them.
#include "fixture.hpp"

#include <poplar/extensions/profile.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <cmath>
#include <functional>
#include <set>

using namespace poplar;

namespace {

namespace expr = popops::expr;

using Shape = std::vector<std::size_t>;
using Layout = std::function<Tensor(Fixture &, const Shape &)>;

std::size_t sizeOf(const Shape &shape) {
  std::size_t n = 1;
  for (const std::size_t d : shape)
    n *= d;
  return n;
}

Tensor linear(Fixture &f, const Shape &shape, unsigned tiles) { return f.spread("x", shape, tiles); }

// The first dimension over the tiles.
Tensor rowsOnTiles(Fixture &f, const Shape &shape) {
  const Tensor t = f.graph.addVariable(FLOAT, shape, "x");
  for (std::size_t i = 0; i < shape[0]; ++i)
    f.graph.setTileMapping(t[i], static_cast<unsigned>(i / 2));
  f.expose("x", t);
  return t;
}

// The last dimension over the tiles, and stored first.
Tensor columnsOnTiles(Fixture &f, const Shape &shape) {
  const unsigned last = static_cast<unsigned>(shape.size()) - 1;
  Shape stored = shape;
  std::rotate(stored.begin(), stored.end() - 1, stored.end());
  const Tensor t = f.graph.addVariable(FLOAT, stored, "x");
  for (std::size_t i = 0; i < stored[0]; ++i)
    f.graph.setTileMapping(t[i], static_cast<unsigned>(i / 3));
  const Tensor view = t.dimRoll(0, last);
  f.expose("x", view);
  return view;
}

// The element of an operand that element i of the output reads.
std::size_t sourceOf(std::size_t i, const Shape &out, const Shape &operand) {
  std::size_t index = 0, stride = 1;
  for (std::size_t d = out.size(); d-- > 0; i /= out[d]) {
    const std::size_t at = d + operand.size() - out.size();
    if (d + operand.size() < out.size() || operand[at] == 1)
      continue;
    index += i % out[d] * stride;
    stride *= operand[at];
  }
  return index;
}

float computed(expr::BinaryOpType op, float a, float b) {
  switch (op) {
  case expr::BinaryOpType::ADD:
    return a + b;
  case expr::BinaryOpType::SUBTRACT:
    return a - b;
  case expr::BinaryOpType::MULTIPLY:
    return a * b;
  case expr::BinaryOpType::DIVIDE:
    return a / b;
  default:
    return std::max(a, b);
  }
}

struct Case {
  Shape out, operand;
  Layout layout;
  bool inHalf = false, reversed = false, inPlace = false;
};

void checkBroadcast(const Case &c, expr::BinaryOpType op) {
  Fixture f(4);
  Tensor x = c.layout(f, c.out), b = f.spread("b", c.operand, 2);
  if (c.inHalf) {
    x = popops::cast(f.graph, x, HALF, f.prog);
    b = popops::cast(f.graph, b, HALF, f.prog);
  }
  Tensor y = x;
  if (c.inPlace)
    popops::mapInPlace(f.graph, op, x, b, f.prog);
  else
    y = c.reversed ? popops::map(f.graph, op, b, x, f.prog) : popops::map(f.graph, op, x, b, f.prog);
  f.expose("y", c.inHalf ? popops::cast(f.graph, y, FLOAT, f.prog) : y);
  Engine e = f.engine();
  const std::size_t n = sizeOf(c.out);
  const std::vector<float> xs = iota(n, 1), bs = iota(sizeOf(c.operand), 2);
  write(e, "x", xs);
  write(e, "b", bs);
  e.run();
  const std::vector<float> got = readFloats(e, "y", n);
  for (std::size_t i = 0; i < n; ++i) {
    const float other = bs[sourceOf(i, c.out, c.operand)];
    const float want = c.reversed ? computed(op, other, xs[i]) : computed(op, xs[i], other);
    CHECK(std::fabs(got[i] - want) <= (c.inHalf ? 1e-3f : 1e-6f) * std::fabs(want));
  }
}

// Which vertices a program has, and how many bytes it rearranges.
std::pair<std::set<std::string>, double> costs(Fixture &f) {
  Engine e = f.engine();
  const ProfileValue profile = e.getProfile();
  std::set<std::string> names;
  for (const ProfileValue &type : profile["vertexTypes"].asVector())
    names.insert(type["name"].asString());
  double bytes = 0;
  for (const ProfileValue &step : profile["steps"].asVector())
    bytes += step["rearrangedBytes"].asDouble();
  return {names, bytes};
}

using Names = std::set<std::string>;

} // namespace

TEST(repeated_operands_in_all_layouts) {
  const std::vector<Layout> layouts = {[](Fixture &f, const Shape &s) { return linear(f, s, 4); },
                                       [](Fixture &f, const Shape &s) { return linear(f, s, 1); }, rowsOnTiles,
                                       columnsOnTiles};
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{6, 8}, {8}},           {{6, 8}, {6, 1}},        {{7, 5}, {1, 5}},      {{7, 5}, {7, 1}},
      {{4, 3, 10}, {3, 1}},    {{4, 3, 10}, {4, 1, 1}}, {{4, 3, 10}, {3, 10}}, {{4, 3, 10}, {4, 1, 10}},
      {{4, 3, 10}, {4, 3, 1}}, {{8, 1, 6}, {1, 6}},     {{5, 2}, {1, 1}},      {{6}, {1}}};
  for (const Layout &layout : layouts)
    for (const auto &[out, operand] : shapes)
      for (const expr::BinaryOpType op : {expr::BinaryOpType::ADD, expr::BinaryOpType::SUBTRACT,
                                          expr::BinaryOpType::DIVIDE, expr::BinaryOpType::MAXIMUM}) {
        checkBroadcast({out, operand, layout}, op);
        checkBroadcast({out, operand, layout, true}, op);
        checkBroadcast({out, operand, layout, false, true}, op);
        checkBroadcast({out, operand, layout, false, false, true}, op);
      }
}

TEST(a_column_is_read_where_it_is) {
  Fixture f(4);
  popops::mulInPlace(f.graph, rowsOnTiles(f, {8, 40}), f.spread("b", {8, 1}, 4), f.prog);
  const auto [names, bytes] = costs(f);
  CHECK_EQ(names == Names{"popops::BroadcastRows<float>"}, true);
  CHECK_EQ(bytes, 0.0);
}

TEST(operands_broadcast_by_the_program_are_found) {
  Fixture f(4);
  const Tensor b = f.spread("b", {8}, 4);
  popops::addInPlace(f.graph, rowsOnTiles(f, {8, 40}), b.expand({1}).broadcast(40, 1), f.prog);
  CHECK_EQ(costs(f).first == Names{"popops::BroadcastRows<float>"}, true);
}

TEST(a_single_element_for_a_tile_is_a_scalar) {
  Fixture f(8);
  const Tensor x = f.graph.addVariable(INT, {4, 10}, "x"), b = f.graph.addVariable(INT, {4, 1}, "b");
  for (unsigned i = 0; i < 4; ++i) {
    f.graph.setTileMapping(x[i], i);
    f.graph.setTileMapping(b[i], i);
  }
  f.expose("x", x);
  f.expose("b", b);
  f.expose("y", popops::sub(f.graph, b, x, f.prog));
  const auto [names, bytes] = costs(f);
  CHECK_EQ(names == Names{"popops::BinaryOp<int,int>"}, true);
  CHECK_EQ(bytes, 0.0);
}

TEST(a_row_of_halves_is_added_to_every_row) {
  Fixture f(2);
  const Tensor x = f.spread("x", {16, 8}, 2, HALF), b = f.variable("b", {8}, 1, HALF);
  popops::addInPlace(f.graph, x, b, f.prog);
  const auto [names, bytes] = costs(f);
  CHECK_EQ(names == Names{"popops::BroadcastBlocks<half>"}, true);
  CHECK_EQ(bytes, 0.0);
}
