// Loops, padding, encodings, predicates, zero.
#include "element_wise.hpp"

#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/Pad.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace poplar;

TEST(a_counted_loop_hands_its_counter_to_the_body) {
  Fixture f;
  const Tensor sum = f.variable("sum", {1}, 0, UNSIGNED_INT);
  popops::zero(f.graph, sum, f.prog);
  f.prog.add(popops::countedLoop(f.graph, 2, 11, 3, [&](const Tensor &i) {
    program::Sequence body;
    popops::addInPlace(f.graph, sum, i, body);
    return body;
  }));
  CHECK_THROWS(popops::countedLoop(f.graph, 3, 3, 1, [](const Tensor &) { return program::Sequence(); }),
               poputil::poplibs_error, "begin must be less than end");
  Engine e = f.engine();
  e.run();
  CHECK_EQ(readAll<unsigned>(e, "sum", 1)[0], 2u + 5u + 8u);
}

TEST(a_for_loop_ends_at_a_limit_that_the_device_knows) {
  Fixture f;
  const Tensor limit = f.variable("limit", {1}, 0, INT), count = f.variable("count", {}, 3, INT);
  const Tensor trips = f.variable("trips", {1}, 1, INT);
  program::Sequence body;
  popops::addInPlace(f.graph, trips, 1, body);
  f.prog.add(popops::countedForLoop(f.graph, count, -4, limit, 2, body));
  Engine e = f.engine();
  for (const int last : {4, -4}) {
    write(e, "limit", std::vector<int>{last});
    write(e, "trips", std::vector<int>{0});
    e.run();
    CHECK_EQ(readAll<int>(e, "trips", 1)[0], (last + 4) / 2);
    CHECK_EQ(readAll<int>(e, "count", 1)[0], last);
  }
}

TEST(padding_with_values) {
  Fixture f;
  const Tensor x = f.spread("x", {2, 3}, 2);
  const auto edge = popops::padding::MappingMethod::EDGE;
  f.graph.createHostRead("y", popops::pad(f.graph, x, {1, -1}, {0, 2}, 7.0f, edge));
  f.graph.createHostRead("z", popops::pad(f.graph, x, 0, 1, 1, x[1][2]));
  CHECK(f.graph.getTileMapping(popops::pad(f.graph, x, 0, 1, 0, 5, edge)[2]) == f.graph.getTileMapping(x[1]));
  CHECK_THROWS(popops::pad(f.graph, x, {1}, {1}), poputil::poplibs_error, "needs 2 numbers");
  CHECK_THROWS(popops::pad(f.graph, x, -2, -2, 1), poputil::poplibs_error, "less than nothing");
  Engine e = f.engine();
  write(e, "x", iota(6));
  e.run();
  CHECK(readFloats(e, "y", 12) == (std::vector<float>{7, 7, 7, 7, 1, 2, 7, 7, 4, 5, 7, 7}));
  CHECK(readFloats(e, "z", 8) == (std::vector<float>{0, 1, 2, 5, 3, 4, 5, 5}));
}

TEST(padding_with_own_elements) {
  Fixture f;
  const Tensor x = f.variable("x", {4});
  f.graph.createHostRead("edge", popops::pad(x, {2}, {1}, popops::padding::Type::EDGE));
  f.graph.createHostRead("mirror", popops::pad(x, 2, 3, 0, popops::padding::Type::REFLECT));
  CHECK_THROWS(popops::pad(x, 4, 0, 0, popops::padding::Type::REFLECT), poputil::poplibs_error, "no reflection");
  Engine e = f.engine();
  write(e, "x", iota(4));
  e.run();
  CHECK(readFloats(e, "edge", 7) == (std::vector<float>{0, 0, 0, 1, 2, 3, 3}));
  CHECK(readFloats(e, "mirror", 9) == (std::vector<float>{2, 1, 0, 1, 2, 3, 2, 1, 0}));
}

TEST(ranges_and_one_hot_vectors) {
  Fixture f;
  const Tensor range = f.spread("range", 50, 7, INT), indices = f.variable("indices", {3}, 2, UNSIGNED_INT);
  const Tensor encoded = f.spread("encoded", {3, 4}, 5), chosen = f.variable("chosen", {3, 4}, 1, INT);
  const Tensor on = f.graph.addConstant(INT, {}, 9), off = f.graph.addConstant(INT, {}, -1);
  f.graph.setTileMapping(on, 0);
  f.graph.setTileMapping(off, 0);
  popops::iota(f.graph, range, -3, f.prog);
  popops::encodeOneHot(f.graph, indices, encoded, f.prog);
  popops::encodeOneHot(f.graph, indices, chosen, f.prog, on, off);
  CHECK_THROWS(popops::iota(f.graph, range, 1u, f.prog), poputil::poplibs_error, "type int");
  CHECK_THROWS(popops::encodeOneHot(f.graph, range, encoded, f.prog), poputil::poplibs_error, "for rows of shape");
  Engine e = f.engine();
  write(e, "indices", std::vector<unsigned>{2, MASKED_LABEL_CODE, 0});
  e.run();
  CHECK_EQ(readAll<int>(e, "range", 50)[49], 46);
  CHECK(readFloats(e, "encoded", 12) == (std::vector<float>{0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  CHECK(readAll<int>(e, "chosen", 12) == (std::vector<int>{-1, -1, 9, -1, -1, -1, -1, -1, 9, -1, -1, -1}));
}

TEST(predicates_of_whole_tensors) {
  Fixture f;
  const Tensor n = f.spread("n", 20, 4, INT), x = f.spread("x", {4, 5}, 4);
  f.expose("all", popops::allTrue(f.graph, n, f.prog));
  f.expose("nan", popops::hasNaN(f.graph, x, f.prog));
  f.expose("inf", popops::hasNaNOrInf(f.graph, x, f.prog));
  CHECK_THROWS(popops::allTrue(f.graph, x, f.prog), poputil::poplibs_error, "type float");
  Engine e = f.engine();
  std::vector<int> ones(20, 1);
  std::vector<float> values = iota(20);
  const auto flag = [&](const char *name) { return readAll<char>(e, name, 1)[0] != 0; };
  write(e, "n", ones);
  write(e, "x", values);
  e.run();
  CHECK(flag("all") && !flag("nan") && !flag("inf"));
  ones[13] = 0;
  values[7] = std::numeric_limits<float>::infinity();
  write(e, "n", ones);
  write(e, "x", values);
  e.run();
  CHECK(!flag("all") && !flag("nan") && flag("inf"));
}

TEST(zero_and_fill_into_compute_sets) {
  Fixture f;
  const Tensor x = f.spread("x", {4, 5}, 4), y = f.variable("y", {6}, 2);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  popops::zero(f.graph, x.slice(1, 3, 1), f.graph.getTileMapping(x.slice(1, 3, 1)), cs);
  popops::fill(f.graph, y, {{0, 2}, {4, 6}}, 2, cs, 3);
  f.prog.add(program::Execute(cs));
  Engine e = f.engine();
  write(e, "x", iota(20, 1));
  write(e, "y", iota(6));
  e.run();
  CHECK(readFloats(e, "y", 6) == (std::vector<float>{3, 3, 2, 3, 3, 3}));
  const auto got = readFloats(e, "x", 20);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK_EQ(got[i], i % 5 == 1 || i % 5 == 2 ? 0 : static_cast<float>(i + 1));
}
