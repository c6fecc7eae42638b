// popops::fill.
#include "fixture.hpp"

#include <popops/Fill.hpp>

using namespace poplar;

TEST(fill_sets_what_every_tile_holds) {
  Fixture f;
  const Tensor x = f.spread("x", 50, 4);
  popops::fill(f.graph, x.reshape({5, 10}).slice(1, 9, 1), f.prog, 2.5f);
  Engine e = f.engine();
  write(e, "x", iota(50));
  e.run();
  const std::vector<float> got = readFloats(e, "x", 50);
  for (std::size_t i = 0; i < 50; ++i)
    CHECK_EQ(got[i], i % 10 == 0 || i % 10 == 9 ? static_cast<float>(i) : 2.5f);
}
