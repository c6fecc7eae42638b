// Intervals, shapes, structure of tensors, functions.
#include "fixture.hpp"

#include <poputil/Broadcast.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

std::string text(const std::vector<Interval> &regions) {
  std::string s;
  for (const Interval &r : regions)
    s += "[" + std::to_string(r.begin()) + "," + std::to_string(r.end()) + ")";
  return s;
}

std::string text(const std::vector<std::vector<Interval>> &parts) {
  std::string s;
  for (const auto &part : parts)
    s += (s.empty() ? "" : " ") + text(part);
  return s;
}

} // namespace

TEST(regions_are_shared_out_in_whole_grains) {
  CHECK_EQ(text(poputil::splitRegions({{0, 100}}, 32, 8)), "[0,32) [32,64) [64,96) [96,100)");
  CHECK_EQ(text(poputil::splitRegions({{0, 5}, {10, 20}}, 4, 2)), "[0,5)[10,13) [13,20)");
  CHECK_EQ(text(poputil::splitRegions({{0, 10}}, 1, 2, 0, UINT_MAX, 3)), "[0,3)[3,5) [5,8)[8,10)");
  CHECK_EQ(text(poputil::splitRegions({{0, 10}}, 1, 1, 0, 4)), "[0,3) [3,6) [6,10)");
  CHECK_EQ(text(poputil::splitRegions({{0, 10}}, 1, 8, 5)), "[0,5) [5,10)");
  CHECK_EQ(poputil::splitRegions(std::vector<Interval>{}, 1, 8).size(), 0u);
  CHECK_THROWS(poputil::splitRegions({{0, 10}}, 0, 1), poputil::poplibs_error, "grain size");
}

TEST(lists_of_intervals_are_shared_out_as_regions) {
  const std::vector<std::vector<Interval>> regions = {{{0, 4}, {8, 12}}, {{20, 24}}};
  const auto parts = poputil::splitRegions(regions, 1, 2);
  CHECK_EQ(parts.size(), 2u);
  CHECK_EQ(text(parts[0]), "[0,4)[8,10)");
  CHECK_EQ(text(parts[1]), "[10,12) [20,24)");
}

TEST(adjacent_regions_are_merged) {
  std::vector<Interval> regions = {{4, 6}, {0, 2}, {2, 4}, {9, 9}, {10, 11}};
  poputil::mergeAdjacentRegions(regions);
  CHECK_EQ(text(regions), "[0,6)[10,11)");
}

TEST(shuffled_intervals_are_put_back) {
  const std::vector<Interval> shuffle = {{6, 10}, {0, 2}, {2, 6}};
  CHECK_EQ(text(poputil::calculateUnshufflingIntervals(shuffle)), "[4,6)[6,10)[0,4)");
}

TEST(shapes_are_broadcast_as_numpy_does) {
  Fixture f;
  Tensor a = f.variable("a", {3, 1}), b = f.variable("b", {4}), c = f.variable("c", {2, 1, 1});
  CHECK(poputil::canBroadcastToMatch(a, b));
  poputil::broadcastToMatch(a, b, c);
  CHECK_EQ(a.shapeToString(), b.shapeToString());
  CHECK_EQ(c.numElements(), 24u);
  Tensor d = f.variable("d", {5});
  CHECK(!poputil::canBroadcastToMatch(b, d));
  CHECK_THROWS(poputil::broadcastToMatch(b, d), poputil::poplibs_error, "do not broadcast");
  CHECK_THROWS(poputil::broadcastToMatch(b, {4}), poputil::poplibs_error, "does not broadcast");
}

TEST(groupings_follow_memory) {
  Fixture f;
  const Tensor t = f.variable("t", {4, 6, 8});
  CHECK_EQ(poputil::detectInnermostGrouping(f.graph, t), 8u);
  CHECK_EQ(poputil::detectInnermostGrouping(f.graph, t.dimShuffle({0, 2, 1})), 1u);
  // Channels in groups of 4: {2, 4, 6, 4} seen as {4, 6, 8}.
  const Tensor grouped = f.variable("g", {2, 4, 6, 4}).dimShuffle({1, 2, 0, 3}).flatten(2, 4);
  const auto groupings = poputil::detectDimGroupings(f.graph, grouped);
  CHECK(groupings.size() >= 3);
  CHECK_EQ(groupings[0].first, 2u);
  CHECK_EQ(groupings[0].second, 4u);
  CHECK_EQ(groupings[1].first, 1u);
  CHECK_EQ(groupings[1].second, 6u);
  CHECK_THROWS(poputil::detectDimGroupings(f.graph, t[0][0][0]), poputil::poplibs_error, "rank 0");
}

TEST(blocks_of_a_partitionable_tensor_are_contiguous) {
  Fixture f;
  const Tensor t = poputil::createPartitionableTensor(f.graph, FLOAT, {10, 7}, {4, 2});
  CHECK_EQ(t.shapeToString(), f.variable("like", {10, 7}).shapeToString());
  std::size_t blocks = 0, elements = 0;
  poputil::iterateTensorPartitions(t, {4, 2}, [&](const std::vector<std::size_t> &, const Tensor &block) {
    ++blocks;
    elements += block.numElements();
    CHECK_EQ(block.getContiguousRegions().size(), 1u);
  });
  CHECK_EQ(blocks, 8u);
  CHECK_EQ(elements, 70u);
}

TEST(dimensions_are_factored_and_put_back) {
  Fixture f;
  const Tensor t = f.variable("t", {2, 6, 8});
  const Tensor factored = poputil::factorDims(t, {3, 4}, 1);
  CHECK(factored.shape() == (std::vector<std::size_t>{2, 2, 2, 3, 4}));
  CHECK(poputil::unfactorDims(factored, 2, 1).getContiguousRegions().size() == 1);
  CHECK_THROWS(poputil::factorDims(t, {4}, 1), poputil::poplibs_error, "does not divide");
}

TEST(a_function_is_called_with_several_arguments) {
  Fixture f;
  using namespace poputil::graphfn;
  const Tensor a = f.variable("a", {3}), b = f.variable("b", {3});
  VoidFunction swap(f.graph, {inout(a), inout(b)}, [&](std::vector<Tensor> &args, program::Sequence &p) {
    const Tensor copy = poputil::duplicate(f.graph, args[0], p);
    p.add(program::Copy(args[1], args[0]));
    p.add(program::Copy(copy, args[1]));
  });
  std::vector<Tensor> args = {a, b}, few = {a};
  swap(args, f.prog);
  CHECK_THROWS(swap(few, f.prog), poputil::poplibs_error, "2 arguments");
  TensorFunction same(f.graph, {input(a)}, [&](std::vector<Tensor> &in, program::Sequence &p) {
    return poputil::duplicate(f.graph, in[0], p);
  });
  std::vector<Tensor> one = {a};
  f.expose("c", same(one, f.prog));
  std::vector<Tensor> other = {b};
  f.expose("d", same(other, f.prog));
  Engine e = f.engine();
  write(e, "a", iota(3));
  write(e, "b", iota(3, 10));
  e.run();
  CHECK_EQ(readFloats(e, "a", 3)[2], 12);
  CHECK_EQ(readFloats(e, "b", 3)[2], 2);
  CHECK_EQ(readFloats(e, "c", 3)[1], 11);
  CHECK_EQ(readFloats(e, "d", 3)[1], 1);
}

TEST(options_have_values_of_their_type) {
  int n = 0;
  bool flag = false;
  double ratio = 0;
  const poplibs::OptionSpec spec{{"n", poplibs::OptionHandler::createWithInteger(n)},
                                 {"flag", poplibs::OptionHandler::createWithBool(flag)},
                                 {"ratio", poplibs::OptionHandler::createWithDouble(ratio, 0, false, 1)}};
  spec.parse("n", "0x10");
  spec.parse("flag", "true");
  spec.parse("ratio", "0.5");
  CHECK_EQ(n, 16);
  CHECK(flag);
  CHECK_EQ(ratio, 0.5);
  CHECK_THROWS(spec.parse("n", "many"), invalid_option, "invalid value 'many' for option 'n'");
  CHECK_THROWS(spec.parse("ratio", "0"), invalid_option, "greater than");
  CHECK_THROWS(spec.parse("m", "1"), invalid_option, "unrecognised option 'm'");
}

TEST(intervals_by_both_names_of_their_ends) {
  const Interval i(2, 7);
  CHECK_EQ(i.lower(), i.begin());
  CHECK_EQ(i.upper(), i.end());
}
