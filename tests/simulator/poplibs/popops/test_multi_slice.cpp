// Many slices and updates at once, against loops on the host.
#include "fixture.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

const std::vector<unsigned> places = {3, 0, 9, 3, 20, 7, 3};

Tensor placesVariable(Fixture &f, std::size_t n = places.size()) {
  const Tensor t = popops::createIndicesTensor(f.graph, {0}, n, {}, {});
  f.graph.createHostWrite("places", t);
  return t;
}

void checkTable(Fixture &f, const Tensor &table, const popops::SlicePlan &plan) {
  const std::size_t rows = table.dim(0), cols = table.dim(1), n = places.size();
  const Tensor out = popops::multiSlice(f.graph, table, placesVariable(f), {0}, {1}, f.prog, plan, {});
  CHECK_EQ(out.shape(), (Shape{n, 1, cols}));
  f.expose("out", out);
  f.expose("table", table);
  Engine e = f.engine();
  const std::vector<float> data = iota(rows * cols, 1);
  write(e, "table", data);
  write(e, "places", places);
  e.run();
  const std::vector<float> got = readFloats(e, "out", n * cols);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < cols; ++c)
      CHECK_EQ(got[i * cols + c], places[i] < rows ? data[places[i] * cols + c] : 0.0f);
}

enum class Kind { Replace, Add, Max, Mul };

void apply(Kind kind, float scale, std::vector<float> &table, const std::vector<float> &news, std::size_t cols) {
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t c = 0; places[i] * cols < table.size() && c < cols; ++c) {
      float &old = table[places[i] * cols + c];
      const float value = news[i * cols + c];
      old = kind == Kind::Add ? old + scale * value : kind == Kind::Max ? std::max(old, value)
          : kind == Kind::Mul ? old * value : value;
    }
}

void checkUpdate(Kind kind, bool planned) {
  Fixture f;
  const std::size_t rows = 11, cols = 6, n = places.size();
  const popops::SlicePlan plan = planned ? popops::embedding::plan(f.graph, FLOAT, rows, cols, {n}, {}) : popops::SlicePlan();
  const Tensor table = planned ? popops::createSliceableTensor(f.graph, FLOAT, {rows, cols}, {0}, {1}, plan, {})
                               : f.graph.addVariable(FLOAT, {rows, cols}, VariableMappingMethod::LINEAR);
  f.expose("table", table);
  const Tensor s = popops::createSliceTensor(f.graph, FLOAT, {rows, cols}, {0}, {1}, n, plan, {});
  f.expose("news", s);
  const Tensor offsets = placesVariable(f);
  const Tensor scale = f.graph.addConstant(FLOAT, {}, 0.5f);
  f.graph.setTileMapping(scale, 0);
  if (kind == Kind::Add)
    popops::multiUpdateAdd(f.graph, table, s, offsets, scale, {0}, {1}, f.prog, plan, {});
  else if (kind == Kind::Max)
    popops::multiUpdateMax(f.graph, table, s, offsets, {0}, {1}, f.prog, plan, {});
  else if (kind == Kind::Mul)
    popops::multiUpdateMul(f.graph, table, s, offsets, {0}, {1}, f.prog, plan, {});
  else
    popops::multiUpdate(f.graph, table, s, offsets, {0}, {1}, f.prog, plan, {});
  Engine e = f.engine();
  std::vector<float> data = iota(rows * cols, 10);
  const std::vector<float> news = iota(n * cols, 1);
  write(e, "table", data);
  write(e, "news", news);
  write(e, "places", places);
  e.run();
  apply(kind, 0.5f, data, news, cols);
  CHECK_EQ(readFloats(e, "table", data.size()), data);
}

} // namespace

TEST(rows_of_a_table_in_any_layout) {
  Fixture one;
  checkTable(one, one.variable("t", {12, 5}, 3), {});
  Fixture rows;
  checkTable(rows, rows.spread("t", Shape{16, 5}, 8), {});
  Fixture odd;
  checkTable(odd, odd.spread("t", Shape{13, 7}, 8), {});
  Fixture even;
  checkTable(even, popops::createSliceableTensor(even.graph, FLOAT, {21, 40}, {0}, {1}), {});
}

TEST(a_planned_table_is_spread_along_rows_and_columns) {
  Fixture f(16);
  const popops::SlicePlan plan = popops::embedding::plan(f.graph, FLOAT, 5000, 5, {7}, {{"usedForUpdate", "false"}});
  const Tensor table = popops::createSliceableTensor(f.graph, FLOAT, {5000, 5}, {0}, {1}, plan, {});
  std::size_t used = 0;
  for (const auto &intervals : f.graph.getTileMapping(table))
    used += intervals.empty() ? 0 : 1;
  CHECK(used > 12);
  checkTable(f, table, plan);
}

// A tile takes an eighth of its memory at a time, here eight rows of 4 KiB.
TEST(many_slices_are_read_in_turns) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 256 * 1024;
  Fixture f(4);
  f.device = model.createDevice();
  f.graph = Graph(f.device.getTarget());
  popops::addCodelets(f.graph);
  const std::size_t n = 30, cols = 1024;
  const Tensor table = f.spread("table", Shape{40, cols}, 4);
  const Tensor out = popops::multiSlice(f.graph, table, placesVariable(f, n), {0}, {1}, f.prog, {}, {});
  f.expose("out", out);
  Engine e = f.engine();
  write(e, "table", iota(40 * cols));
  std::vector<unsigned> offsets(n);
  for (unsigned i = 0; i < n; ++i)
    offsets[i] = i * 7 % 40;
  write(e, "places", offsets);
  e.run();
  const std::vector<float> got = readFloats(e, "out", n * cols);
  for (std::size_t i = 0; i < n; ++i)
    CHECK_EQ(got[i * cols + i], static_cast<float>(offsets[i] * cols + i));
}

TEST(equal_offsets_accumulate_or_the_last_one_stays) {
  for (Kind kind : {Kind::Replace, Kind::Add, Kind::Max, Kind::Mul}) {
    checkUpdate(kind, false);
    checkUpdate(kind, true);
  }
}

TEST(half_tables_take_float_scales_and_int_tables_int_ones) {
  Fixture f;
  const Tensor table = f.spread("table", Shape{4, 2}, 2, INT), s = f.variable("s", {1, 1, 2}, 0, INT);
  const Tensor offsets = placesVariable(f, 1);
  const Tensor three = f.graph.addConstant(INT, {1}, 3), half = f.graph.addConstant(FLOAT, {1}, 0.5f);
  f.graph.setTileMapping(three, 0);
  f.graph.setTileMapping(half, 0);
  popops::multiUpdateAdd(f.graph, table, s, offsets, three, {0}, {1}, f.prog, {}, {});
  const Tensor halves = f.spread("halves", Shape{4, 2}, 2, HALF), hs = f.variable("hs", {1, 1, 2}, 0, HALF);
  popops::multiUpdateAdd(f.graph, halves, hs, offsets, half, {0}, {1}, f.prog, {}, {});
  CHECK_THROWS(popops::multiUpdateAdd(f.graph, table, s, offsets, half, {0}, {1}, f.prog, {}, {}),
               poputil::poplibs_error, "the scale must be one element of int, not float");
  Engine e = f.engine();
  write(e, "table", std::vector<int>(8, 1));
  write(e, "s", std::vector<int>{10, -20});
  write(e, "halves", std::vector<unsigned short>(8, 0x3c00));
  write(e, "hs", std::vector<unsigned short>{0x4000, 0xc000}); // 2, -2
  write(e, "places", std::vector<unsigned>{2});
  e.run();
  CHECK_EQ(readAll<int>(e, "table", 8), (std::vector<int>{1, 1, 1, 1, 31, -59, 1, 1}));
  CHECK_EQ(readAll<unsigned short>(e, "halves", 8)[4], 0x4000); // 1 + 0.5 * 2
  CHECK_EQ(readAll<unsigned short>(e, "halves", 8)[5], 0x0000);
}

TEST(groups_have_their_own_offsets) {
  Fixture f;
  const popops::SlicePlan plan = popops::embedding::plan(f.graph, FLOAT, 2, 6, 4, {3}, {});
  const Tensor t = popops::createGroupedSliceableTensor(f.graph, FLOAT, 2, {6, 4}, {0}, {1}, plan, {});
  const Tensor offsets = popops::createGroupedIndicesTensor(f.graph, 2, {0}, 3, plan, {});
  const Tensor out = popops::groupedMultiSlice(f.graph, t, offsets, {0}, {1}, f.prog, plan, {});
  popops::groupedMultiUpdate(f.graph, t, out, offsets, {0}, {1}, f.prog, plan, {});
  f.expose("t", t);
  f.expose("offsets", offsets);
  f.expose("out", out);
  CHECK_EQ(out.shape(), (Shape{2, 3, 1, 4}));
  CHECK_THROWS(popops::createGroupedSliceTensor(f.graph, FLOAT, 3, {6, 4}, {0}, {1}, 3, plan, {}), poputil::poplibs_error,
               "there are 3 groups, the plan is for 2");
  Engine e = f.engine();
  write(e, "t", iota(48));
  const std::vector<unsigned> at = {5, 1, 2, 0, 4, 4};
  write(e, "offsets", at);
  e.run();
  const std::vector<float> got = readFloats(e, "out", 24);
  for (std::size_t i = 0; i < 24; ++i)
    CHECK_EQ(got[i], static_cast<float>(i / 12 * 24 + at[i / 4] * 4 + i % 4));
  CHECK_EQ(readFloats(e, "t", 48), iota(48));
}

TEST(constant_offsets) {
  Fixture f;
  const Tensor t = f.spread("t", Shape{3, 5}, 4);
  const std::vector<unsigned> at = {4, 0, 4};
  const Tensor out = popops::multiSlice(f.graph, t, at, 1, f.prog);
  f.expose("out", out);
  const Tensor one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  popops::multiUpdateAdd(f.graph, t, out, at, one, 1, f.prog);
  CHECK_THROWS(popops::multiSlice(f.graph, t, {5u}, 1, f.prog), poputil::poplibs_error, "offset 5 is outside dimension 1");
  Engine e = f.engine();
  write(e, "t", iota(15));
  e.run();
  CHECK_EQ(readFloats(e, "out", 9), (std::vector<float>{4, 9, 14, 0, 5, 10, 4, 9, 14}));
  CHECK_EQ(readFloats(e, "t", 15)[4], 12.0f);
  CHECK_EQ(readFloats(e, "t", 15)[3], 3.0f);
}
