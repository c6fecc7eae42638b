// Reductions.
#include "element_wise.hpp"

#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <sstream>

using namespace poplar;
using popops::Operation;

namespace {

using Shape = std::vector<std::size_t>;

std::size_t product(const Shape &shape) {
  std::size_t n = 1;
  for (const std::size_t s : shape)
    n *= s;
  return n;
}

std::vector<float> expected(const std::vector<float> &in, const Shape &shape, const Shape &dims, float first,
                            const std::function<float(float, float)> &f) {
  Shape kept;
  std::vector<bool> reduced(shape.size(), false);
  for (const std::size_t d : dims)
    reduced[d] = true;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!reduced[d])
      kept.push_back(shape[d]);
  std::vector<float> out(product(kept), first);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Shape at = poputil::unflattenIndex(shape, i);
    Shape place;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (!reduced[d])
        place.push_back(at[d]);
    float &value = out[poputil::flattenIndex(kept, place)];
    value = f(value, in[i]);
  }
  return out;
}

float add(float a, float b) { return a + b; }

std::vector<float> small(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 7) % 11) - 5;
  return v;
}

/// Sums over dims of a tensor whose dimensions are shuffled in memory, over some tiles.
void checkSum(const Shape &shape, const Shape &dims, unsigned tiles, const std::vector<unsigned> &order = {}) {
  Fixture f(16);
  Shape stored = shape;
  for (std::size_t i = 0; i < order.size(); ++i)
    stored[order[i]] = shape[i];
  Tensor in = f.spread("x", stored, tiles);
  if (!order.empty())
    in = in.dimShuffle(order);
  f.expose("in", in);
  f.expose("out", popops::reduce(f.graph, in, dims, Operation::ADD, f.prog));
  Engine e = f.engine();
  const std::vector<float> values = small(product(shape));
  write(e, "in", values);
  e.run();
  const auto want = expected(values, shape, dims, 0, add);
  CHECK(readFloats(e, "out", want.size()) == want);
}

} // namespace

TEST(sums_over_any_dimensions) {
  for (const Shape &dims : std::vector<Shape>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {2, 1}, {0, 1, 2}})
    for (const unsigned tiles : {1u, 5u, 16u})
      checkSum({5, 7, 9}, dims, tiles);
}

TEST(sums_over_dimensions_that_are_shuffled_in_memory) {
  for (const Shape &dims : std::vector<Shape>{{0}, {1}, {2}, {0, 2}, {1, 2}})
    for (const std::vector<unsigned> &order : std::vector<std::vector<unsigned>>{{2, 1, 0}, {1, 2, 0}, {0, 2, 1}})
      checkSum({4, 6, 5}, dims, 7, order);
}

TEST(sums_of_other_ranks) {
  checkSum({}, {}, 1);
  checkSum({1}, {0}, 1);
  checkSum({1000}, {0}, 16);
  checkSum({40, 30}, {0}, 16);
  checkSum({40, 30}, {1}, 16);
  checkSum({3, 4, 5, 6}, {1, 3}, 16);
  checkSum({2, 3, 4, 2, 3}, {0, 2, 4}, 11);
  checkSum({200, 1}, {0}, 16);
}

TEST(all_operations) {
  struct Case {
    Operation op;
    float first;
    std::function<float(float, float)> f;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const Case cases[] = {{Operation::ADD, 0, add},
                        {Operation::MUL, 1, [](float a, float b) { return a * b; }},
                        {Operation::MIN, infinity, [](float a, float b) { return std::min(a, b); }},
                        {Operation::MAX, -infinity, [](float a, float b) { return std::max(a, b); }},
                        {Operation::SQUARE_ADD, 0, [](float a, float b) { return a + b * b; }},
                        {Operation::LOG_ADD, -infinity,
                         [](float a, float b) { return std::log(std::exp(a) + std::exp(b)); }}};
  for (const Type &type : {FLOAT, HALF})
    for (const Case &c : cases) {
      Fixture f(16);
      const Tensor x = f.spread("x", {24, 6}, 16);
      const Tensor in = popops::cast(f.graph, x, type, f.prog);
      f.expose("y", popops::cast(f.graph, popops::reduce(f.graph, in, {0}, c.op, f.prog), FLOAT, f.prog));
      Engine e = f.engine();
      std::vector<float> values = small(144);
      for (float &v : values)
        v = 1 + v / 16;
      write(e, "x", values);
      e.run();
      const auto got = readFloats(e, "y", 6), want = expected(values, {24, 6}, {0}, c.first, c.f);
      for (std::size_t i = 0; i < 6; ++i)
        CHECK(std::fabs(got[i] - want[i]) <= (type == HALF ? 2e-3f : 1e-5f) * std::max(1.0f, std::fabs(want[i])));
    }
}

TEST(integers_and_booleans) {
  Fixture f(16);
  const Tensor n = f.spread("n", {30, 3}, 16, INT), b = f.spread("b", {30, 3}, 16, BOOL);
  f.expose("sum", popops::reduce(f.graph, n, {0, 1}, Operation::ADD, f.prog));
  f.expose("max", popops::reduce(f.graph, n, {0}, Operation::MAX, f.prog));
  f.expose("and", popops::reduce(f.graph, b, {0}, Operation::LOGICAL_AND, f.prog));
  f.expose("or", popops::reduce(f.graph, b, {0}, Operation::LOGICAL_OR, f.prog));
  Engine e = f.engine();
  std::vector<int> values(90);
  std::vector<char> flags(90);
  for (int i = 0; i < 90; ++i) {
    values[static_cast<std::size_t>(i)] = i - 100;
    flags[static_cast<std::size_t>(i)] = i % 3 == 0 || i == 4;
  }
  write(e, "n", values);
  write(e, "b", flags);
  e.run();
  CHECK_EQ(readAll<int>(e, "sum", 1)[0], 89 * 90 / 2 - 9000);
  CHECK(readAll<int>(e, "max", 3) == (std::vector<int>{-13, -12, -11}));
  CHECK(readAll<char>(e, "and", 3) == (std::vector<char>{1, 0, 0}));
  CHECK(readAll<char>(e, "or", 3) == (std::vector<char>{1, 1, 0}));
}

TEST(results_are_scaled_and_added_to_the_output) {
  Fixture f(16);
  const Tensor x = f.spread("x", {50, 4}, 16), s = f.variable("s", {}), y = f.variable("y", {4}, 3);
  const Tensor z = f.graph.addVariable(FLOAT, {4}, "z"), h = f.variable("h", {50}, 2);
  f.expose("z", z);
  popops::reduceWithOutput(f.graph, x, y, {0}, {Operation::ADD, true, s}, f.prog);
  popops::reduceWithOutput(f.graph, x, z, {0}, {Operation::SQUARE_ADD, false, s}, f.prog);
  popops::reduceWithOutput(f.graph, x, h, {1}, {Operation::ADD, true}, f.prog);
  Engine e = f.engine();
  write(e, "x", small(200));
  write(e, "y", iota(4));
  write(e, "h", iota(50));
  write(e, "s", std::vector<float>{0.5f});
  e.run();
  const auto sums = expected(small(200), {50, 4}, {0}, 0, add), rows = expected(small(200), {50, 4}, {1}, 0, add);
  const auto squares = expected(small(200), {50, 4}, {0}, 0, [](float a, float b) { return a + b * b; });
  const auto y1 = readFloats(e, "y", 4), z1 = readFloats(e, "z", 4), h1 = readFloats(e, "h", 50);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_EQ(y1[i], static_cast<float>(i) + 0.5f * sums[i]);
    CHECK_EQ(z1[i], 0.5f * squares[i]);
  }
  for (std::size_t i = 0; i < 50; ++i)
    CHECK_EQ(h1[i], static_cast<float>(i) + rows[i]);
}

TEST(reductions_of_nothing_are_neutral) {
  Fixture f;
  const Tensor x = f.variable("x", {0, 3});
  f.expose("sum", popops::reduce(f.graph, x, {0}, Operation::ADD, f.prog));
  f.expose("min", popops::reduce(f.graph, x, {0}, Operation::MIN, f.prog));
  CHECK_EQ(popops::reduce(f.graph, x, {1}, Operation::ADD, f.prog).numElements(), 0u);
  Engine e = f.engine();
  e.run();
  CHECK(readFloats(e, "sum", 3) == std::vector<float>(3, 0.0f));
  CHECK(readFloats(e, "min", 3) == std::vector<float>(3, std::numeric_limits<float>::infinity()));
}

TEST(several_reductions_run_at_the_same_time) {
  Fixture f(16);
  const Tensor x = f.spread("x", {100}, 16), y = f.spread("y", {10, 10}, 16);
  std::vector<Tensor> outs;
  popops::reduceMany(f.graph, {{x, {0}, Operation::ADD}, {y, {1}, Operation::MAX, FLOAT, "max"}}, outs, f.prog);
  CHECK_EQ(outs.size(), 2u);
  std::vector<ComputeSet> css;
  const Tensor again = popops::reduce(f.graph, x, {0}, Operation::ADD, css);
  const Tensor most = popops::reduce(f.graph, y, {0}, Operation::MAX, css);
  CHECK(css.size() <= 3);
  for (const ComputeSet &cs : css)
    f.prog.add(program::Execute(cs));
  f.expose("sum", outs[0]);
  f.expose("max", outs[1]);
  f.expose("again", again);
  f.expose("most", most);
  Engine e = f.engine();
  write(e, "x", iota(100));
  write(e, "y", iota(100));
  e.run();
  CHECK_EQ(readFloats(e, "sum", 1)[0], 4950);
  CHECK_EQ(readFloats(e, "again", 1)[0], 4950);
  CHECK_EQ(readFloats(e, "max", 10)[3], 39);
  CHECK_EQ(readFloats(e, "most", 10)[3], 93);
}

TEST(broadcast_and_aliased_inputs) {
  Fixture f;
  const Tensor x = f.spread("x", {6}, 3);
  f.expose("a", popops::reduce(f.graph, x.expand({0}).broadcast(20, 0), {0}, Operation::ADD, f.prog));
  f.expose("b", popops::reduce(f.graph, concat(x, x.reverse(0)).reshape({2, 6}), {0}, Operation::ADD, f.prog));
  Engine e = f.engine();
  write(e, "x", iota(6));
  e.run();
  CHECK(readFloats(e, "a", 6) == (std::vector<float>{0, 20, 40, 60, 80, 100}));
  CHECK(readFloats(e, "b", 6) == std::vector<float>(6, 5.0f));
}

TEST(outputs_may_have_more_or_fewer_dimensions_of_size_one) {
  Fixture f;
  const Tensor x = f.spread("x", {2, 1, 3}, 3);
  const Tensor all = f.variable("all", {1}), rows = f.variable("rows", {2}), columns = f.variable("columns", {1, 1, 3});
  popops::reduceWithOutput(f.graph, x, all, {0, 1, 2}, Operation::ADD, f.prog);
  popops::reduceWithOutput(f.graph, x, rows, {2}, Operation::ADD, f.prog);
  popops::reduceWithOutput(f.graph, x, columns, {0}, {Operation::ADD, true}, f.prog);
  Engine e = f.engine();
  write(e, "x", iota(6));
  write(e, "columns", std::vector<float>{10, 20, 30});
  e.run();
  CHECK_EQ(readFloats(e, "all", 1)[0], 15);
  CHECK(readFloats(e, "rows", 2) == (std::vector<float>{3, 12}));
  CHECK(readFloats(e, "columns", 3) == (std::vector<float>{13, 25, 37}));
}

TEST(wrong_reductions_are_reported) {
  Fixture f;
  const Tensor x = f.variable("x", {2, 3}), n = f.variable("n", {3}, 0, INT), s = f.variable("s", {2});
  using poputil::poplibs_error;
  CHECK_THROWS(popops::reduce(f.graph, x, {2}, Operation::ADD, f.prog, "sum"), poplibs_error, "popops::reduce (sum): a tensor of shape");
  CHECK_THROWS(popops::reduce(f.graph, x, {0, 0}, Operation::ADD, f.prog), poplibs_error, "listed twice");
  CHECK_THROWS(popops::reduce(f.graph, x, {0}, Operation::LOGICAL_AND, f.prog), poplibs_error, "LOGICAL_AND of type float");
  CHECK_THROWS(popops::reduceWithOutput(f.graph, x, n, {0}, Operation::ADD, f.prog), poplibs_error, "the output int");
  CHECK_THROWS(popops::reduceWithOutput(f.graph, x, s, {0}, Operation::ADD, f.prog), poplibs_error, "does not reduce to an output of shape");
  CHECK_THROWS(popops::reduceWithOutput(f.graph, x, s, {1}, {Operation::MUL, true}, f.prog), poplibs_error, "update with MUL");
  CHECK_THROWS(popops::reduceWithOutput(f.graph, x, s, {1}, {Operation::ADD, true, s}, f.prog), poplibs_error, "the scale must be one element");
  Operation op;
  std::istringstream text("LOG_ADD");
  text >> op;
  CHECK(op == Operation::LOG_ADD);
}
