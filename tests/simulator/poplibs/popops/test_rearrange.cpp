// Transpositions in memory.
#include "element_wise.hpp"

#include <popops/Rearrange.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
namespace rearrange = popops::rearrange;

TEST(the_inner_dimensions_are_exchanged_in_memory) {
  Fixture f;
  const Tensor x = f.spread("x", {6, 4, 5}, 5);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  const Tensor y = rearrange::partialTranspose(f.graph, x, cs);
  CHECK_EQ(y.getContiguousRegions().size(), 1u);
  f.prog.add(program::Execute(cs));
  f.expose("y", y);
  CHECK_THROWS(rearrange::partialTranspose(f.graph, x[0][0], cs), poputil::poplibs_error, "no two dimensions");
  Engine e = f.engine();
  write(e, "x", iota(120));
  e.run();
  const auto got = readFloats(e, "y", 120);
  for (std::size_t i = 0; i < 120; ++i)
    CHECK_EQ(got[i], static_cast<float>(i / 20 * 20 + i % 4 * 5 + i / 4 % 5));
}

TEST(regrouping_keeps_values_and_changes_memory) {
  Fixture f;
  const Tensor x = f.variable("x", {8, 12}), like = f.variable("like", {12, 8}).transpose();
  const Tensor y = rearrange::regroupIfBeneficial(f.graph, x, like, f.prog);
  const auto groups = poputil::detectDimGroupings(f.graph, y);
  CHECK_EQ(groups[0].first, 0u);
  CHECK_EQ(groups[0].second, 8u);
  CHECK(rearrange::regroupIfBeneficial(f.graph, x, x, f.prog) == x);
  CHECK(rearrange::regroupIfBeneficial(f.graph, x, std::size_t(4), f.prog) == x);
  f.expose("y", y);
  Engine e = f.engine();
  write(e, "x", iota(96));
  e.run();
  CHECK(readFloats(e, "y", 96) == iota(96));
}
