// One element of each row, sequences of rows, histograms.
#include "fixture.hpp"

#include <poplar/exceptions.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

constexpr unsigned masked = 0xffffffffu;

// In rows, in columns, and in pieces that fit neither.
void mapInOneOfThreeWays(Fixture &f, const Tensor &t, int way) {
  const Tensor flat = (way == 1 ? t.transpose() : t).flatten();
  const std::size_t n = flat.numElements();
  for (std::size_t i = 0; i < n; ++i)
    f.graph.setTileMapping(flat.slice(i, i + 1), static_cast<unsigned>(way == 2 ? i * i % 8 : i * 8 / n));
}

} // namespace

TEST(an_element_of_each_row) {
  for (int way = 0; way < 3; ++way) {
    Fixture f;
    const Tensor x = f.graph.addVariable(FLOAT, {30, 20}, "x"), at = f.variable("at", {30}, 3, UNSIGNED_INT);
    mapInOneOfThreeWays(f, x, way);
    f.expose("x", x);
    f.expose("y", popops::selectScalarFromRows(f.graph, x, at, f.prog));
    popops::updateScalarInRows(f.graph, x, at, f.prog);
    Engine e = f.engine();
    write(e, "x", iota(600, 1));
    std::vector<unsigned> places(30);
    for (unsigned i = 0; i < 30; ++i)
      places[i] = i * 7 % 20;
    places[4] = masked;
    places[9] = 20;
    write(e, "at", places);
    e.run();
    const std::vector<float> y = readFloats(e, "y", 30), after = readFloats(e, "x", 600);
    for (std::size_t row = 0; row < 30; ++row) {
      const float old = static_cast<float>(1 + row * 20 + places[row]);
      CHECK(row == 9 ? std::isnan(y[row]) : y[row] == (row == 4 ? 0.0f : old));
      for (std::size_t c = 0; c < 20; ++c) {
        const float before = static_cast<float>(1 + row * 20 + c);
        CHECK(row == 9 ? std::isnan(after[row * 20 + c]) : after[row * 20 + c] == before - (c == places[row] ? 1 : 0));
      }
    }
  }
}

TEST(sequences_are_copied_in_order) {
  for (bool zero : {false, true}) {
    Fixture f;
    const Tensor x = f.spread("x", Shape{6, 3, 2}, 5, SHORT), y = f.spread("y", Shape{5, 6}, 3, SHORT);
    const Tensor n = f.variable("n", {3}, 0, UNSIGNED_INT), from = f.variable("from", {3}, 1, UNSIGNED_INT),
                 to = f.variable("to", {3}, 2, UNSIGNED_INT);
    popops::sequenceSlice(f.graph, x, y, n, from, to, zero, f.prog);
    CHECK_THROWS(popops::sequenceSlice(f.graph, x, y, n, from, x, zero, f.prog), graph_connection_error,
                 "of one shape {n}");
    CHECK_THROWS(popops::sequenceSlice(f.graph, x, y.reshape({10, 3}), n, from, to, zero, f.prog),
                 graph_connection_error, "differ in size");
    Engine e = f.engine();
    std::vector<short> in(36), out(30, 7);
    for (short i = 0; i < 36; ++i)
      in[i] = static_cast<short>(100 + i);
    write(e, "x", in);
    write(e, "y", out);
    write(e, "n", std::vector<unsigned>{2, 1, 9});
    write(e, "from", std::vector<unsigned>{1, 5, 4});
    write(e, "to", std::vector<unsigned>{0, 1, 4}); // the last one runs over the end
    e.run();
    const int rows[] = {1, 5, -1, -1, 4};
    const std::vector<short> got = readAll<short>(e, "y", 30);
    for (int i = 0; i < 30; ++i)
      CHECK_EQ(got[i], rows[i / 6] < 0 ? (zero ? 0 : 7) : 100 + rows[i / 6] * 6 + i % 6);
  }
}

TEST(a_histogram_counts_between_levels) {
  for (bool absolute : {false, true}) {
    Fixture f;
    const Tensor x = f.spread("x", Shape{40, 25}, 7), levels = f.variable("levels", {4}, 2);
    Tensor sums = f.variable("sums", {5}, 1, UNSIGNED_INT), floats = f.variable("floats", {5}, 1);
    f.expose("y", popops::histogram(f.graph, x, levels, absolute, f.prog));
    popops::histogram(f.graph, x, sums, true, levels, absolute, f.prog);
    popops::histogram(f.graph, x, floats, false, levels, absolute, f.prog);
    Engine e = f.engine();
    const std::vector<float> limits = {-1, 0, 2, 2.5f};
    std::vector<unsigned> expected(5);
    std::vector<float> data(1000);
    for (std::size_t i = 0; i < 1000; ++i) {
      data[i] = static_cast<float>(i % 25) * 0.5f - 6;
      std::size_t level = 0;
      while (level < 4 && (absolute ? std::fabs(data[i]) : data[i]) >= limits[level])
        ++level;
      ++expected[level];
    }
    write(e, "x", data);
    write(e, "levels", limits);
    write(e, "sums", std::vector<unsigned>(5, 1000000));
    e.run();
    CHECK_EQ(readAll<unsigned>(e, "y", 5), expected);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK_EQ(readAll<unsigned>(e, "sums", 5)[i], 1000000 + expected[i]);
      CHECK_EQ(readFloats(e, "floats", 5)[i], static_cast<float>(expected[i]));
    }
  }
}

TEST(rows_that_do_not_fit) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 3}, 2), at = f.variable("at", {3}, 0, UNSIGNED_INT);
  CHECK_THROWS(popops::selectScalarFromRows(f.graph, x, at, f.prog), poputil::poplibs_error, "do not fit");
  CHECK_THROWS(popops::histogram(f.graph, at, at, false, f.prog), poputil::poplibs_error, "the input is float or half");
  CHECK_THROWS(popops::histogram(f.graph, x, x[0], false, f.prog, {}, {{"fast", "true"}}), invalid_option,
               "unknown option");
}
