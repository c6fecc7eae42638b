// poplin::matMul and its relatives, against loops on the host.
#include "fixture.hpp"

#include <poplar/exceptions.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <sstream>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

struct Machine : Fixture {
  explicit Machine(unsigned tiles = 8, unsigned ipus = 1) : Fixture(tiles, ipus) { poplin::addCodelets(graph); }
};

// Small whole numbers: every product and sum of the tests is exact in half and float, in any order.
std::vector<float> numbers(std::size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 7 + i / 5 + seed) % 5) - 2;
  return v;
}

std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, std::size_t g, std::size_t m,
                           std::size_t k, std::size_t n) {
  std::vector<float> c(g * m * n, 0.f);
  for (std::size_t x = 0; x < g; ++x)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < n; ++j)
          c[(x * m + i) * n + j] += a[(x * m + i) * k + l] * b[(x * k + l) * n + j];
  return c;
}

void writeAs(Engine &e, const Target &target, const std::string &handle, const Tensor &t, const std::vector<float> &v) {
  if (t.elementType() == FLOAT)
    return write(e, handle, v);
  std::vector<std::uint16_t> halves(v.size());
  copyFloatToDeviceHalf(target, v.data(), halves.data(), v.size());
  write(e, handle, halves);
}

std::vector<float> readAs(Engine &e, const Target &target, const std::string &handle, const Tensor &t) {
  if (t.elementType() == FLOAT)
    return readFloats(e, handle, t.numElements());
  const std::vector<std::uint16_t> halves = readAll<std::uint16_t>(e, handle, t.numElements());
  std::vector<float> v(halves.size());
  copyDeviceHalfToFloat(target, halves.data(), v.data(), v.size());
  return v;
}

struct Case {
  std::size_t g, m, k, n;
  Type type = FLOAT;
  Type out = FLOAT;
  unsigned tiles = 8;
  OptionFlags options = {};
};

// Runs one grouped product, with operands as the plan wants them or spread row by row, and compares.
void checkProduct(const Case &c, bool planned) {
  Machine f(c.tiles);
  const Shape aShape{c.g, c.m, c.k}, bShape{c.g, c.k, c.n};
  const auto operand = [&](const char *name, const Shape &shape, bool lhs) {
    if (!planned)
      return f.spread(name, shape, c.tiles, c.type);
    const Tensor t = lhs ? poplin::createMatMulGroupedInputLHS(f.graph, c.type, c.out, aShape, bShape, name, c.options)
                         : poplin::createMatMulGroupedInputRHS(f.graph, c.type, c.out, aShape, bShape, name, c.options);
    f.expose(name, t);
    return t;
  };
  const Tensor a = operand("a", aShape, true), b = operand("b", bShape, false);
  CHECK_EQ(a.shape() == aShape, true);
  CHECK_EQ(b.shape() == bShape, true);
  const Tensor out = poplin::matMulGrouped(f.graph, a, b, f.prog, c.out, "product", c.options);
  CHECK_EQ(out.shape() == (Shape{c.g, c.m, c.n}), true);
  f.expose("out", out);
  Engine e = f.engine();
  const std::vector<float> x = numbers(a.numElements(), 1), y = numbers(b.numElements(), 3);
  writeAs(e, f.graph.getTarget(), "a", a, x);
  writeAs(e, f.graph.getTarget(), "b", b, y);
  e.run();
  const std::vector<float> got = readAs(e, f.graph.getTarget(), "out", out), want = product(x, y, c.g, c.m, c.k, c.n);
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i]) {
      std::ostringstream text;
      text << c.g << " " << c.m << "x" << c.k << "x" << c.n << " " << c.type << c.out << " element " << i << ": "
           << got[i] << " not " << want[i];
      CHECK_EQ(text.str(), "");
      return;
    }
}

void checkProduct(const Case &c) {
  checkProduct(c, true);
  checkProduct(c, false);
}

} // namespace

TEST(matmul_of_many_shapes) {
  const std::size_t sizes[][3] = {{1, 1, 1},   {16, 16, 16}, {5, 7, 3},   {1, 64, 1},   {64, 1, 48}, {1, 33, 70},
                                  {70, 33, 1}, {40, 50, 60}, {17, 9, 35}, {100, 3, 2},  {2, 100, 2}, {31, 65, 18},
                                  {3, 1, 200}, {128, 64, 4}, {4, 64, 128}};
  for (const auto &s : sizes) {
    checkProduct({1, s[0], s[1], s[2]});
    checkProduct({1, s[0], s[1], s[2], HALF, HALF});
  }
}

TEST(matmul_of_all_types) {
  for (const Type &in : {FLOAT, HALF})
    for (const Type &out : {FLOAT, HALF})
      for (const char *partials : {"float", "half"})
        checkProduct({1, 24, 20, 36, in, out, 8, {{"partialsType", partials}}});
}

TEST(matmul_on_one_tile_and_on_many) {
  checkProduct({1, 33, 40, 50, FLOAT, FLOAT, 1});
  checkProduct({1, 33, 40, 50, HALF, HALF, 50});
}

TEST(matmul_grouped) {
  checkProduct({3, 12, 20, 17});
  checkProduct({20, 5, 6, 7, HALF, HALF});
  checkProduct({11, 1, 8, 1});
}

TEST(matmul_in_several_steps_if_memory_is_short) {
  checkProduct({1, 64, 64, 256, FLOAT, FLOAT, 2, {{"availableMemoryProportion", "0.03"}}});
  checkProduct({1, 64, 64, 256, HALF, HALF, 4, {{"availableMemoryProportion", "0"}}});
}

TEST(matmul_with_sizes_of_zero) {
  checkProduct({1, 3, 0, 4});
  checkProduct({1, 0, 3, 4});
  checkProduct({0, 2, 3, 4});
}

TEST(matmul_of_transposed_and_sliced_views) {
  Machine f;
  const Tensor x = f.spread("x", {20, 30}, 8), y = f.spread("y", {40, 25}, 8);
  const Tensor a = x.slice(2, 18, 0).transpose(), b = y.subSample(2, 0).slice(1, 17, 0);
  f.expose("out", poplin::matMul(f.graph, a, b, f.prog));
  Engine e = f.engine();
  const std::vector<float> xs = numbers(600, 0), ys = numbers(1000, 2);
  write(e, "x", xs);
  write(e, "y", ys);
  e.run();
  const std::vector<float> got = readFloats(e, "out", 30 * 25);
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t j = 0; j < 25; ++j) {
      float want = 0;
      for (std::size_t k = 0; k < 16; ++k)
        want += xs[(k + 2) * 30 + i] * ys[(2 * (k + 1)) * 25 + j];
      CHECK_EQ(got[i * 25 + j], want);
    }
}

TEST(matmul_of_a_tensor_with_itself) {
  Machine f;
  const Tensor x = f.spread("x", {20, 20}, 8);
  f.expose("out", poplin::matMul(f.graph, x, x.transpose(), f.prog));
  Engine e = f.engine();
  const std::vector<float> xs = numbers(400, 0);
  write(e, "x", xs);
  e.run();
  const std::vector<float> got = readFloats(e, "out", 400);
  for (std::size_t i = 0; i < 400; ++i) {
    float want = 0;
    for (std::size_t k = 0; k < 20; ++k)
      want += xs[i / 20 * 20 + k] * xs[i % 20 * 20 + k];
    CHECK_EQ(got[i], want);
  }
}

TEST(matmul_with_output_and_accumulation) {
  for (const bool planned : {true, false}) {
    Machine f;
    const Shape aShape{24, 40}, bShape{40, 18};
    const Tensor a = f.spread("a", aShape, 8), b = f.spread("b", bShape, 8);
    Tensor c = planned ? poplin::createMatMulOutput(f.graph, FLOAT, aShape, bShape, "c") : f.spread("c", {24, 18}, 3);
    f.expose("c2", c);
    const Tensor k = f.variable("k", {});
    poplin::matMulWithOutput(f.graph, a, b, c, f.prog);
    poplin::matMulAcc(f.graph, c, 2.f, a, b, f.prog);
    poplin::matMulAcc(f.graph, c, k, a, b, f.prog);
    Engine e = f.engine();
    const std::vector<float> x = numbers(24 * 40, 1), y = numbers(40 * 18, 3);
    write(e, "a", x);
    write(e, "b", y);
    write(e, "k", std::vector<float>{-0.5f});
    e.run();
    const std::vector<float> got = readFloats(e, "c2", 24 * 18), want = product(x, y, 1, 24, 40, 18);
    for (std::size_t i = 0; i < want.size(); ++i)
      CHECK_EQ(got[i], 2.5f * want[i]);
  }
}

TEST(accumulation_in_half_with_a_half_factor) {
  Machine f;
  const Tensor a = f.spread("a", {4, 8}, 2, HALF), b = f.spread("b", {8, 3}, 2, HALF), c = f.spread("c", {4, 3}, 2, HALF);
  const Tensor k = f.graph.addConstant(HALF, {1}, 3.f);
  f.graph.setTileMapping(k, 1);
  poplin::matMulAcc(f.graph, c, k, a, b, f.prog);
  Engine e = f.engine();
  const std::vector<float> x = numbers(32, 1), y = numbers(24, 3);
  writeAs(e, f.graph.getTarget(), "a", a, x);
  writeAs(e, f.graph.getTarget(), "b", b, y);
  writeAs(e, f.graph.getTarget(), "c", c, std::vector<float>(12, 1.f));
  e.run();
  const std::vector<float> got = readAs(e, f.graph.getTarget(), "c", c), want = product(x, y, 1, 4, 8, 3);
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK_EQ(got[i], 1 + 3 * want[i]);
}

TEST(half_results_are_rounded_once_from_float_partials) {
  Machine f(4);
  const Tensor a = f.spread("a", {1, 4096}, 4, HALF), b = f.spread("b", {4096, 1}, 4, HALF);
  const Tensor out = poplin::matMul(f.graph, a, b, f.prog);
  f.expose("out", out);
  Engine e = f.engine();
  writeAs(e, f.graph.getTarget(), "a", a, std::vector<float>(4096, 1.f));
  writeAs(e, f.graph.getTarget(), "b", b, std::vector<float>(4096, 1.f));
  e.run();
  CHECK_EQ(readAs(e, f.graph.getTarget(), "out", out)[0], 4096.f); // half alone would stop at 2048
}

TEST(planned_operands_are_not_copied) {
  Machine f;
  const Shape aShape{64, 96}, bShape{96, 80};
  const Tensor a = poplin::createMatMulInputLHS(f.graph, FLOAT, aShape, bShape, "a");
  const Tensor b = poplin::createMatMulInputRHS(f.graph, FLOAT, aShape, bShape, "b");
  const Tensor again = poplin::preArrangeMatMulInputRHS(f.graph, aShape, b, f.prog);
  CHECK_EQ(again == b, true);
  CHECK_EQ(f.prog.isEmpty(), true);
  const Tensor other = poplin::preArrangeMatMulInputRHS(f.graph, aShape, f.spread("c", bShape, 8), f.prog);
  CHECK_EQ(f.prog.isEmpty(), false);
  CHECK_EQ(other.shape() == bShape, true);
}

TEST(a_planning_cache_plans_once) {
  Machine f;
  poplin::matmul::PlanningCache cache;
  const Shape aShape{16, 32}, bShape{32, 8};
  poplin::createMatMulInputLHS(f.graph, FLOAT, aShape, bShape, "a", {}, &cache);
  poplin::createMatMulInputRHS(f.graph, FLOAT, aShape, bShape, "b", {}, &cache);
  CHECK_EQ(cache.size(), 1u);
  const Target &target = f.graph.getTarget();
  poplin::preplanMatMuls({{&target, {HALF, HALF, aShape, bShape}, nullptr}}, cache);
  CHECK_EQ(cache.size(), 2u);
  std::ostringstream text;
  poplin::matMulReportPlan(text, f.graph, FLOAT, FLOAT, aShape, bShape);
  CHECK_EQ(text.str().find("partition: groups 1") != std::string::npos, true);
}

TEST(transposed_groups) {
  Machine f;
  CHECK_EQ(poplin::transposeGroupedMatrix(f.spread("a", {2, 3, 4}, 1)).shape() == (Shape{2, 4, 3}), true);
  CHECK_EQ(poplin::transposeGroupedMatrixShape({2, 3, 4}) == (Shape{2, 4, 3}), true);
}

TEST(misuse_of_matmul) {
  Machine f;
  const Tensor a = f.spread("a", {4, 6}, 2), b = f.spread("b", {5, 3}, 2), h = f.spread("h", {6, 3}, 2, HALF);
  const Tensor i = f.spread("i", {6, 6}, 2, INT), v = f.spread("v", 6, 2), good = f.spread("g", {6, 3}, 2);
  Tensor c = f.spread("c", {4, 4}, 2);
  CHECK_THROWS(poplin::matMul(f.graph, a, b, f.prog, "fc"), poputil::poplibs_error, "'fc'");
  CHECK_THROWS(poplin::matMul(f.graph, a, h, f.prog, "fc"), poputil::poplibs_error, "different types");
  CHECK_THROWS(poplin::matMul(f.graph, i, i, f.prog, "fc"), poputil::poplibs_error, "not supported yet");
  CHECK_THROWS(poplin::matMul(f.graph, a, v, f.prog, "fc"), poputil::poplibs_error, "no matrix");
  CHECK_THROWS(poplin::matMulWithOutput(f.graph, a, good, c, f.prog, "fc"), poputil::poplibs_error, "cannot have");
  CHECK_THROWS(poplin::matMul(f.graph, a, good, f.prog, "fc", {{"speed", "high"}}), invalid_option, "speed");
  CHECK_THROWS(poplin::matMul(f.graph, a, good, f.prog, "fc", {{"partialsType", "int"}}), invalid_option, "int");
}
