// popops::scaledAddTo and its relatives.
#include "element_wise.hpp"

#include <poplar/CycleCount.hpp>
#include <popops/Cast.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

TEST(multiples_are_added_and_subtracted) {
  Fixture f;
  const Tensor a = f.spread("a", {5, 7}, 3), b = f.variable("b", {5, 7}, 6), s = f.variable("s", {});
  popops::scaledAddTo(f.graph, a, b, 2.0f, f.prog);
  popops::scaledSubtractFrom(f.graph, a, b, s, f.prog);
  popops::scaledAddTo(f.graph, a, 3.0f, b, 0.5f, f.prog);
  popops::scaledSubtractFrom(f.graph, a.transpose(), s, b.transpose(), s, f.prog);
  popops::scaledAddTo(f.graph, a, s, b, s, f.prog, popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  Engine e = f.engine();
  write(e, "a", iota(35));
  write(e, "b", iota(35, 1));
  write(e, "s", std::vector<float>{0.25f});
  e.run();
  const auto got = readFloats(e, "a", 35);
  for (std::size_t i = 0; i < 35; ++i) {
    const float b1 = static_cast<float>(i + 1);
    float x = static_cast<float>(i) + 2 * b1 - 0.25f * b1;
    x = 3 * x + 0.5f * b1;
    x = 0.25f * x - 0.25f * b1;
    x = 0.75f * x + 0.25f * b1;
    CHECK(std::fabs(got[i] - x) < 1e-4f);
  }
}

TEST(halves_floats_and_integers) {
  Fixture f;
  const Tensor a = f.spread("a", 9, 2), b = f.spread("b", 9, 3), n = f.variable("n", {9}, 0, INT);
  const Tensor h = popops::cast(f.graph, b, HALF, f.prog), k = popops::cast(f.graph, a, HALF, f.prog);
  const Tensor s = f.graph.addConstant(HALF, {}, 2.0f);
  f.graph.setTileMapping(s, 0);
  popops::scaledAddTo(f.graph, a, h, 0.5f, f.prog);
  popops::scaledAddTo(f.graph, k, h, s, f.prog);
  popops::scaledAddTo(f.graph, k, b, 0.1f, f.prog, {}, {{"optimizeForSpeed", "true"}});
  popops::scaledAddTo(f.graph, n, n, 3.0f, f.prog);
  f.expose("k", popops::cast(f.graph, k, FLOAT, f.prog));
  Engine e = f.engine();
  write(e, "a", iota(9));
  write(e, "b", iota(9, 2));
  write(e, "n", std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, -8});
  e.run();
  const auto a1 = readFloats(e, "a", 9), k1 = readFloats(e, "k", 9);
  for (std::size_t i = 0; i < 9; ++i) {
    const float x = static_cast<float>(i), y = x + 2;
    CHECK_EQ(a1[i], x + 0.5f * y);
    CHECK(std::fabs(k1[i] - (x + 2 * y + 0.1f * y)) < 0.02f);
  }
  CHECK_EQ(readAll<int>(e, "n", 9)[8], -32);
}

// Measured on hardware: 375, 467, 665 and 1043 cycles for 64, 128, 256 and 512 elements, of which 45 are the counter's and
// about 34 the start of a compute set on one tile. Here a compute set starts with a sync of 83.
TEST(cycles_are_those_measured) {
  for (const auto &c : std::vector<std::pair<std::size_t, double>>{{64, 375}, {128, 467}, {256, 665}, {512, 1043}}) {
    Fixture f(1);
    const Tensor a = f.variable("a", {c.first}), b = f.variable("b", {c.first});
    program::Sequence timed;
    popops::scaledAddTo(f.graph, a, b, 2.0f, timed);
    f.graph.createHostRead("cycles", cycleCount(f.graph, timed, 0, SyncType::INTERNAL));
    f.prog.add(timed);
    Engine e = f.engine();
    write(e, "a", iota(c.first));
    write(e, "b", iota(c.first));
    e.run();
    const double cycles = static_cast<double>(readAll<std::uint64_t>(e, "cycles", 1)[0]);
    CHECK(std::fabs((cycles - 45 - 83) - (c.second - 45 - 34)) <= 3);
  }
}

TEST(wrong_operands_are_reported) {
  Fixture f;
  const Tensor a = f.variable("a", {4}), b = f.variable("b", {3}), n = f.variable("n", {4}, 0, INT);
  using poputil::poplibs_error;
  CHECK_THROWS(popops::scaledAddTo(f.graph, a, b, 1.0f, f.prog, "axpy"), poplibs_error, "popops::scaledAdd (axpy): operands have shapes");
  CHECK_THROWS(popops::scaledAddTo(f.graph, a, n, 1.0f, f.prog), poplibs_error, "types float and int");
  CHECK_THROWS(popops::scaledAddTo(f.graph, a, a, b, f.prog), poplibs_error, "has not one element");
  CHECK_THROWS(popops::scaledAddTo(f.graph, a[0].expand({0}).broadcast(4, 0), a, 1.0f, f.prog), poplibs_error, "aliases");
  CHECK_THROWS(popops::scaledAddTo(f.graph, a, a, 1.0f, f.prog, {}, {{"x", "1"}}), invalid_option, "unrecognised option");
}
