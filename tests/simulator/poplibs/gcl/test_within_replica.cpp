// Collectives over the IPUs of one graph, and with a single replica.
#include "fixture.hpp"

#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using gcl::CollectiveOperator;

namespace {

using Shape = std::vector<std::size_t>;

// {ipus, n}: a row on each IPU.
Tensor rows(Fixture &f, std::size_t n, unsigned ipus, Type type = FLOAT) {
  const Tensor t = f.graph.addVariable(type, {ipus, n}, "x");
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    f.graph.setTileMapping(t[ipu], ipu * 4 + 1);
  f.expose("x", t);
  return t;
}

void onIpu(const Fixture &f, const Tensor &t, unsigned ipu) {
  const auto mapping = f.graph.getTileMapping(t);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    CHECK(mapping[tile].empty() || tile / 4 == ipu);
}

} // namespace

TEST(every_ipu_gets_the_reduction) {
  const std::vector<std::pair<CollectiveOperator, float>> expected = {
      {CollectiveOperator::ADD, 12},  {CollectiveOperator::MEAN, 4}, {CollectiveOperator::MUL, 48},
      {CollectiveOperator::MIN, 2},   {CollectiveOperator::MAX, 6},  {CollectiveOperator::SQUARE_ADD, 56}};
  for (const auto &[op, value] : expected) {
    Fixture f(4, 3);
    const Tensor y = gcl::allReduceWithinReplica(f.graph, rows(f, 101, 3), op, f.prog);
    CHECK_EQ(y.shape(), (Shape{3, 101}));
    for (unsigned ipu = 0; ipu < 3; ++ipu)
      onIpu(f, y[ipu], ipu);
    f.expose("y", y);
    Engine e = f.engine();
    std::vector<float> data(303);
    for (std::size_t i = 0; i < 303; ++i)
      data[i] = 2.0f * static_cast<float>(1 + i / 101);
    write(e, "x", data);
    e.run();
    CHECK_EQ(readFloats(e, "y", 303), std::vector<float>(303, value));
  }
}

TEST(chunks_lie_on_their_ipus_and_gather_in_order) {
  Fixture f(4, 2);
  const gcl::Chunks chunks = gcl::reduceScatterWithinReplica(f.graph, rows(f, 7, 2, INT), CollectiveOperator::ADD, f.prog);
  CHECK_EQ(chunks.chunks.size(), 2u);
  for (unsigned ipu = 0; ipu < 2; ++ipu)
    onIpu(f, chunks.chunks[ipu].tensor, ipu);
  f.expose("y", gcl::allGatherWithinReplica(f.graph, chunks, f.prog));
  Engine e = f.engine();
  write(e, "x", std::vector<int>{0, 1, 2, 3, 4, 5, 6, 10, 10, 10, 10, 10, 10, 10});
  e.run();
  CHECK_EQ(readAll<int>(e, "y", 14), (std::vector<int>{10, 11, 12, 13, 14, 15, 16, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(truth_values) {
  for (bool any : {false, true}) {
    Fixture f(4, 2);
    const CollectiveOperator op = any ? CollectiveOperator::LOGICAL_OR : CollectiveOperator::LOGICAL_AND;
    f.expose("y", gcl::allReduceWithinReplica(f.graph, rows(f, 4, 2, BOOL), op, f.prog));
    Engine e = f.engine();
    write(e, "x", std::vector<char>{0, 0, 1, 1, 0, 1, 0, 1});
    e.run();
    std::vector<char> got = readAll<char>(e, "y", 8);
    CHECK_EQ(std::vector<char>(got.begin() + 4, got.end()), std::vector<char>(got.begin(), got.begin() + 4));
    got.resize(4);
    CHECK_EQ(got, any ? (std::vector<char>{0, 1, 1, 1}) : (std::vector<char>{0, 0, 0, 1}));
  }
}

TEST(one_replica_copies) {
  Fixture f;
  Tensor x = f.spread("x", Shape{2, 5}, 3);
  f.expose("sum", gcl::allReduceCrossReplica(f.graph, x, CollectiveOperator::ADD, f.prog));
  f.expose("squares", gcl::allReduceCrossReplica(f.graph, x, CollectiveOperator::SQUARE_ADD, f.prog));
  f.expose("scattered", gcl::reduceScatterCrossReplica(f.graph, x, CollectiveOperator::MEAN, f.prog));
  f.expose("gathered", gcl::allGatherCrossReplica(f.graph, x, f.prog, "gather"));
  f.expose("exchanged", gcl::allToAllCrossReplica(f.graph, x.expand({0}), f.prog));
  gcl::allReduceInPlaceCrossReplica(f.graph, x, CollectiveOperator::MAX, f.prog, {gcl::CommGroupType::ALL, 0});
  Engine e = f.engine();
  write(e, "x", iota(10, 1));
  e.run();
  for (const char *name : {"sum", "scattered", "gathered", "exchanged", "x"})
    CHECK_EQ(readFloats(e, name, 10), iota(10, 1));
  CHECK_EQ(readFloats(e, "squares", 10)[9], 100.0f);
}

TEST(groups_and_shapes_that_do_not_fit) {
  Fixture f(4, 2);
  Tensor x = f.spread("x", Shape{3, 5}, 3), b = f.spread("b", Shape{2, 5}, 3, BOOL);
  CHECK_THROWS(gcl::allReduceWithinReplica(f.graph, x, CollectiveOperator::ADD, f.prog, "r"), poputil::poplibs_error,
               "does not have a row for each of 2 IPUs");
  CHECK_THROWS(gcl::allReduceWithinReplica(f.graph, b, CollectiveOperator::ADD, f.prog, "r"), poputil::poplibs_error,
               "gcl::collective 'r': ADD is not supported for bool");
  CHECK_THROWS(gcl::allReduceCrossReplica(f.graph, x, CollectiveOperator::ADD, f.prog, {gcl::CommGroupType::CONSECUTIVE, 3}),
               poputil::poplibs_error, "1 replicas cannot form groups of 3");
  CHECK_THROWS(gcl::allToAllCrossReplica(f.graph, x, f.prog), poputil::poplibs_error, "a row for each of 1 replicas");
}

TEST(tiles_for_communication) {
  Fixture f(64);
  const unsigned io = gcl::getMinIoTiles(f.graph);
  CHECK_EQ(io, 32u);
  CHECK_EQ(gcl::perIPUTiles(f.graph, io, 3), (std::vector<unsigned>{32, 33, 34}));
  CHECK_THROWS(gcl::perIPUTiles(f.graph, 60, 5), poputil::poplibs_error, "has 64 tiles");
}
