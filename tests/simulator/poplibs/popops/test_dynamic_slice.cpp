// Dynamic slices and updates, against loops on the host.
#include "fixture.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

Tensor offsetsVariable(Fixture &f, Shape shape) {
  const Tensor t = f.graph.addVariable(UNSIGNED_INT, shape, "offset");
  f.graph.setTileMapping(t, 1);
  f.graph.createHostWrite("offset", t);
  return t;
}

// What a slice of one dimension of {outer, n, inner} holds.
std::vector<float> sliced(const std::vector<float> &x, Shape s, std::size_t size, unsigned offset) {
  std::vector<float> out;
  for (std::size_t o = 0; o < s[0]; ++o)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t i = 0; i < s[2]; ++i)
        out.push_back(offset < s[1] ? x[(o * s[1] + (offset + j) % s[1]) * s[2] + i] : 0.0f);
  return out;
}

void checkSlice(Fixture &f, const Tensor &x, std::size_t size) {
  const Shape s = x.shape();
  const Tensor out = popops::dynamicSlice(f.graph, x, offsetsVariable(f, {1}), {1}, {size}, f.prog);
  f.expose("out", out);
  CHECK_EQ(out.dim(1), size);
  Engine e = f.engine();
  const std::vector<float> data = iota(x.numElements(), 1);
  write(e, "x", data);
  for (unsigned offset : {0u, 1u, unsigned(s[1] - 1), unsigned(s[1])}) {
    write(e, "offset", std::vector<unsigned>{offset});
    e.run();
    CHECK_EQ(readFloats(e, "out", out.numElements()), sliced(data, s, size, offset));
  }
}

} // namespace

TEST(a_slice_of_a_tensor_spread_in_row_major_order) {
  for (std::size_t size : {1, 2, 5}) {
    Fixture f;
    checkSlice(f, f.spread("x", Shape{3, 5, 7}, 8), size);
  }
}

TEST(a_slice_of_a_tensor_spread_along_the_sliced_dimension) {
  Fixture f;
  checkSlice(f, f.spread("x", Shape{1, 64, 1}, 8), 3);
  Fixture rows;
  const Tensor x = rows.spread("x", Shape{1, 16, 10}, 8);
  checkSlice(rows, x, 4);
}

// 7 tiles, 23 x 160 elements: no column has the same rows on the tiles as its neighbours.
TEST(a_slice_of_rows_that_end_anywhere) {
  Fixture f;
  checkSlice(f, f.spread("x", Shape{1, 23, 160}, 7), 2);
}

TEST(a_slice_of_a_tensor_in_small_pieces) {
  Fixture f;
  const Tensor x = f.graph.addVariable(FLOAT, {1, 40, 40}, "x");
  for (std::size_t i = 0; i < 1600; ++i)
    f.graph.setTileMapping(x.flatten().slice(i, i + 1), (i * i + i / 7) % 8);
  f.expose("x", x);
  checkSlice(f, x, 3);
  Fixture g;
  const Tensor y = g.graph.addVariable(FLOAT, {40, 40}, "y");
  for (std::size_t i = 0; i < 1600; ++i)
    g.graph.setTileMapping(y.flatten().slice(i, i + 1), (i * i + i / 7) % 8);
  g.expose("y", y);
  const Tensor s = g.variable("s", {2, 40});
  popops::dynamicUpdate(g.graph, y, s, offsetsVariable(g, {1}), {0}, {2}, g.prog);
  Engine e = g.engine();
  write(e, "y", iota(1600));
  write(e, "s", iota(80, 5000));
  write(e, "offset", std::vector<unsigned>{17});
  e.run();
  std::vector<float> expected = iota(1600);
  for (std::size_t i = 0; i < 80; ++i)
    expected[17 * 40 + i] = 5000 + static_cast<float>(i);
  CHECK_EQ(readFloats(e, "y", 1600), expected);
}

TEST(a_slice_of_a_sliceable_tensor_needs_no_exchange_of_data) {
  Fixture f;
  const Tensor x = popops::createSliceableTensor(f.graph, FLOAT, {4, 9, 6}, {1}, {1});
  f.expose("x", x);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK_EQ(f.graph.getTileMapping(x[i][0]) == f.graph.getTileMapping(x[i][8]), true);
  checkSlice(f, x, 2);
}

TEST(several_dimensions_are_sliced_at_once) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 3, 5}, 7, INT);
  const Tensor out = popops::dynamicSlice(f.graph, x, offsetsVariable(f, {2}), {2, 0}, {2, 3}, f.prog);
  f.expose("out", out);
  Engine e = f.engine();
  std::vector<int> data(60);
  for (int i = 0; i < 60; ++i)
    data[i] = i;
  write(e, "x", data);
  write(e, "offset", std::vector<unsigned>{4, 2});
  e.run();
  const std::vector<int> got = readAll<int>(e, "out", 18);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 2; ++c)
        CHECK_EQ(got[(a * 3 + b) * 2 + c], ((2 + a) % 4 * 3 + b) * 5 + (4 + c) % 5);
}

TEST(remapped_offsets_count_as_zero) {
  Fixture f;
  const Tensor x = f.spread("x", 10, 4);
  const Tensor out =
      popops::dynamicSlice(f.graph, x, offsetsVariable(f, {1}), {0}, {3}, f.prog, {}, {{"remapOutOfBoundIndices", "true"}});
  f.expose("out", out);
  Engine e = f.engine();
  write(e, "x", iota(10, 1));
  write(e, "offset", std::vector<unsigned>{10});
  e.run();
  CHECK_EQ(readFloats(e, "out", 3), iota(3, 1));
}

TEST(an_update_writes_what_a_slice_reads) {
  for (bool even : {false, true}) {
    Fixture f;
    const Tensor x = even ? popops::createSliceableTensor(f.graph, FLOAT, {3, 8, 5}, {1}, {3})
                          : f.graph.addVariable(FLOAT, {3, 8, 5}, VariableMappingMethod::LINEAR, "x");
    f.expose("x", x);
    const Tensor s = popops::createSliceTensor(f.graph, x, {1}, {3}, 1)[0];
    f.expose("s", s);
    popops::dynamicUpdate(f.graph, x, s, offsetsVariable(f, {1}), {1}, {3}, f.prog);
    Engine e = f.engine();
    for (unsigned offset : {0u, 6u, 9u}) {
      const std::vector<float> before = iota(120, 1), news = iota(45, 1000);
      write(e, "x", before);
      write(e, "s", news);
      write(e, "offset", std::vector<unsigned>{offset});
      e.run();
      std::vector<float> expected = before;
      for (std::size_t o = 0; offset < 8 && o < 3; ++o)
        for (std::size_t j = 0; j < 3; ++j)
          for (std::size_t i = 0; i < 5; ++i)
            expected[(o * 8 + (offset + j) % 8) * 5 + i] = news[(o * 3 + j) * 5 + i];
      CHECK_EQ(readFloats(e, "x", 120), expected);
    }
  }
}

TEST(slices_of_bytes_halves_and_64_bit_numbers) {
  for (Type type : {BOOL, SHORT, HALF, LONGLONG}) {
    Fixture f;
    const Tensor x = f.spread("x", Shape{6, 3}, 5, type);
    const Tensor out = popops::dynamicSlice(f.graph, x, offsetsVariable(f, {1}), {0}, {2}, f.prog);
    f.expose("out", out);
    const std::size_t bytes = f.graph.getTarget().getTypeSize(type);
    Engine e = f.engine();
    std::vector<unsigned char> data(18 * bytes);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = type == BOOL ? i % 2 : i;
    e.writeTensor("x", data.data(), data.data() + data.size());
    write(e, "offset", std::vector<unsigned>{3});
    e.run();
    std::vector<unsigned char> got(6 * bytes);
    e.readTensor("out", got.data(), got.data() + got.size());
    CHECK_EQ(std::equal(got.begin(), got.end(), data.begin() + 9 * static_cast<std::ptrdiff_t>(bytes)), true);
  }
}

TEST(a_sliceable_tensor_made_from_a_slice_has_its_mapping) {
  Fixture f;
  const Tensor s = f.spread("s", Shape{2, 8}, 4);
  const Tensor t = popops::createSliceableTensorFromSlice(f.graph, s, {0}, {5});
  CHECK_EQ(t.shape(), (Shape{10, 8}));
  for (std::size_t i = 0; i < 5; ++i)
    CHECK_EQ(f.graph.getTileMapping(t.slice(2 * i, 2 * i + 2)) == f.graph.getTileMapping(s), true);
}

TEST(empty_slices_and_no_dimensions) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 3}, 2);
  CHECK_EQ(popops::dynamicSlice(f.graph, x, offsetsVariable(f, {1}), {0}, {0}, f.prog).numElements(), 0u);
  const Tensor none = f.graph.addVariable(UNSIGNED_INT, {0});
  const Tensor all = popops::dynamicSlice(f.graph, x, none, {}, {}, f.prog);
  f.expose("all", all);
  Engine e = f.engine();
  write(e, "x", iota(12));
  write(e, "offset", std::vector<unsigned>{0});
  e.run();
  CHECK_EQ(readFloats(e, "all", 12), iota(12));
}

TEST(slices_that_do_not_fit_are_refused) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 3}, 2);
  const Tensor offset = offsetsVariable(f, {1});
  CHECK_THROWS(popops::dynamicSlice(f.graph, x, offset, {2}, {1}, f.prog, "here"), poputil::poplibs_error,
               "popops::dynamicSlice 'here': there is no dimension 2 in shape {4,3}");
  CHECK_THROWS(popops::dynamicSlice(f.graph, x, offset, {0}, {5}, f.prog), poputil::poplibs_error, "longer than dimension 0");
  CHECK_THROWS(popops::dynamicSlice(f.graph, x, offset, {0, 1}, {1, 1}, f.prog), poputil::poplibs_error,
               "do not fit 2 sliced dimensions");
  CHECK_THROWS(popops::dynamicSlice(f.graph, x, offset, {0}, {1}, f.prog, {}, {{"nonsense", "1"}}), invalid_option,
               "unknown option 'nonsense'");
}
