// The linear mapping rule of poputil.
#include "fixture.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

// Begins and end of the tiles in use.
std::vector<std::size_t> cuts(std::size_t n, unsigned minimum = 32, unsigned grain = 2) {
  std::vector<std::size_t> result{0};
  for (const auto &tile : poputil::calcLinearTileMapping(1472, n, minimum, grain))
    for (const Interval &i : tile)
      result.push_back(i.end());
  return result;
}

} // namespace

// Expected values as PopLibs computes them for FLOAT on 1472 tiles.
TEST(linear_mapping_follows_the_rule) {
  CHECK_EQ(cuts(10), (std::vector<std::size_t>{0, 10}));
  CHECK_EQ(cuts(50), (std::vector<std::size_t>{0, 50}));
  CHECK_EQ(cuts(64), (std::vector<std::size_t>{0, 32, 64}));
  CHECK_EQ(cuts(100), (std::vector<std::size_t>{0, 32, 66, 100}));
  CHECK_EQ(cuts(1000).size(), 31u);
  CHECK_EQ(cuts(1000)[4], 132u);
  CHECK_EQ(cuts(2000).size(), 60u);
  CHECK_EQ(cuts(47104).size(), 1473u);
  CHECK_EQ(cuts(200000).size(), 1472u);
  CHECK_EQ(cuts(200000)[4], 542u);
  CHECK_EQ(cuts(10000000)[2], 13586u);
  CHECK_EQ(cuts(0), (std::vector<std::size_t>{0}));
}

TEST(linear_mapping_covers_every_element_once) {
  for (std::size_t n = 1; n < 3000; n += 37)
    for (unsigned grain : {1u, 2u, 4u, 8u})
      for (unsigned minimum : {0u, 1u, 17u, 128u}) {
        const std::vector<std::size_t> c = cuts(n, minimum, grain);
        CHECK(std::is_sorted(c.begin(), c.end()));
        CHECK_EQ(c.back(), n);
      }
}

TEST(offset_and_descending_order) {
  Fixture f(4);
  const Tensor t = f.graph.addVariable(FLOAT, {6});
  poputil::mapTensorLinearlyWithOffset(f.graph, t, 1, 1, 3, true);
  auto m = f.graph.getTileMapping(t);
  CHECK_EQ(m[3], (std::vector<Interval>{{0, 2}}));
  CHECK_EQ(m[0], (std::vector<Interval>{{2, 4}}));
  poputil::mapTensorLinearlyWithOffset(f.graph, t, 1, 1, 1, false);
  m = f.graph.getTileMapping(t);
  CHECK_EQ(m[2], (std::vector<Interval>{{0, 2}}));
  CHECK_EQ(m[1], (std::vector<Interval>{{2, 4}}));
}

TEST(linear_variables_and_template_names) {
  Fixture f(4);
  const Tensor t = f.graph.addVariable(FLOAT, {100}, VariableMappingMethod::LINEAR, "t");
  CHECK_EQ(f.graph.getTileMapping(t), poputil::calcLinearTileMapping(f.graph, t));
  CHECK_EQ(poputil::templateVertex("ns::V", FLOAT, true, 4u, "x::Y"), "ns::V<float,true,4,x::Y>");
  CHECK_THROWS(poputil::calcLinearTileMapping(4, 10, 1, 0), poputil::poplibs_error, "grain size");
}
