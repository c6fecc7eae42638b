// Tensors on other tiles, and mappings by use.
#include "fixture.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

unsigned tileOf(const Graph &graph, const Tensor &t) {
  const auto mapping = graph.getTileMapping(t);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      return tile;
  return ~0u;
}

} // namespace

TEST(a_copy_on_another_ipu_lies_on_the_same_tiles_there) {
  Fixture f(4, 2);
  const Tensor a = f.spread("a", 8, 4);
  const Tensor b = poputil::copyToIpu(f.graph, a, f.prog, 1);
  f.expose("b", b);
  for (unsigned i = 0; i < 8; ++i)
    CHECK_EQ(tileOf(f.graph, b[i]), 4 + i / 2);
  CHECK_THROWS(poputil::cloneToIpu(f.graph, a, 2), poputil::poplibs_error, "no IPU 2");
  Engine e = f.engine();
  write(e, "a", iota(8));
  e.run();
  CHECK_EQ(readFloats(e, "b", 8)[7], 7);
}

TEST(elements_are_mapped_to_tiles_that_use_them) {
  Fixture f;
  const Tensor t = f.graph.addVariable(FLOAT, {12}, "t");
  poputil::TensorUseTracker tracker(8);
  CHECK(tracker.empty());
  tracker.add(f.graph, 1, t.slice(0, 4));
  tracker.add(f.graph, 2, t.slice(4, 10));
  tracker.add(f.graph, 5, t.slice(4, 10));
  tracker.mapTensorsByUse(f.graph, 1, 1, true);
  CHECK_EQ(tileOf(f.graph, t[3]), 1u);
  CHECK_EQ(tileOf(f.graph, t[4]), 2u);
  CHECK_EQ(tileOf(f.graph, t[9]), 5u);
  CHECK_EQ(tileOf(f.graph, t[11]), 5u);
  CHECK_THROWS(tracker.add(f.graph, 8, t), poputil::poplibs_error, "no tile 8");
}

TEST(split_dimensions_are_found) {
  Fixture f(4, 2);
  const Tensor t = f.graph.addVariable(FLOAT, {4, 4}, "t");
  for (unsigned row = 0; row < 4; ++row)
    f.graph.setTileMapping(t[row], row * 2);
  CHECK(poputil::dimIsSplitOverTiles(f.graph, t, 0));
  CHECK(!poputil::dimIsSplitOverTiles(f.graph, t, 1));
  CHECK(poputil::dimIsSplitOverIPUs(f.graph, t, 0));
  CHECK(!poputil::dimIsSplitOverIPUs(f.graph, t.slice(0, 2), 0));
}

TEST(a_broadcast_operand_lies_beside_the_elements_it_is_for) {
  Fixture f;
  const Tensor t = f.graph.addVariable(FLOAT, {2, 4}, "t");
  for (unsigned column = 0; column < 4; ++column)
    f.graph.setTileMapping(t.slice(column, column + 1, 1), column + 3);
  const Tensor bias = poputil::createBroadcastOperand(f.graph, t, HALF, 1);
  CHECK_EQ(bias.numElements(), 4u);
  for (unsigned column = 0; column < 4; ++column)
    CHECK_EQ(tileOf(f.graph, bias[column]), column + 3);
}

TEST(offsets_rotate_the_linear_mapping) {
  Fixture f;
  const Tensor t = f.graph.addVariable(FLOAT, {64}, "t");
  const auto mapping = poputil::calcLinearTileMappingAndNewOffset(f.graph, t, 7);
  CHECK_EQ(mapping.second, 1u);
  CHECK(mapping.first[7].size() == 1 && mapping.first[0].size() == 1);
  CHECK(poputil::chooseMappingOffset(8, {64}) < 8);
}
