// Sorting and the k best, against std::stable_sort.
#include "fixture.hpp"

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

using namespace poplar;
using popops::SortOrder;
using popops::TopKParams;

namespace {

using Shape = std::vector<std::size_t>;

// Many equal numbers, some negative.
std::vector<float> data(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 7919 + 13) % 61) - 30;
  return v;
}

std::vector<unsigned> order(const std::vector<float> &x, std::size_t begin, std::size_t n, bool descending) {
  std::vector<unsigned> index(n);
  std::iota(index.begin(), index.end(), 0);
  std::stable_sort(index.begin(), index.end(), [&](unsigned a, unsigned b) {
    return descending ? x[begin + a] > x[begin + b] : x[begin + a] < x[begin + b];
  });
  return index;
}

void checkTopK(unsigned tiles, std::size_t rows, std::size_t n, const TopKParams &params) {
  Fixture f(tiles);
  const Tensor x = f.spread("x", Shape{rows, n}, tiles);
  const auto [keys, from] = popops::topKWithPermutation(f.graph, f.prog, x, params);
  CHECK_EQ(keys.shape(), (Shape{rows, params.k}));
  f.expose("keys", keys);
  f.expose("from", from);
  Engine e = f.engine();
  const std::vector<float> values = data(rows * n);
  write(e, "x", values);
  e.run();
  const std::vector<float> got = readFloats(e, "keys", rows * params.k);
  const std::vector<unsigned> places = readAll<unsigned>(e, "from", rows * params.k);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<unsigned> expected = order(values, row * n, n, params.largest);
    expected.resize(params.k);
    if (params.stableSort && params.largest == (params.sortOrder == SortOrder::ASCENDING)) {
      std::sort(expected.begin(), expected.end());
      std::stable_sort(expected.begin(), expected.end(), [&](unsigned a, unsigned b) {
        return params.largest ? values[row * n + a] < values[row * n + b] : values[row * n + a] > values[row * n + b];
      });
    } else if (params.largest == (params.sortOrder == SortOrder::ASCENDING)) {
      std::reverse(expected.begin(), expected.end());
    }
    for (std::size_t i = 0; i < params.k; ++i) {
      CHECK_EQ(places[row * params.k + i], expected[i]);
      CHECK_EQ(got[row * params.k + i], values[row * n + expected[i]]);
    }
  }
}

} // namespace

TEST(the_k_best_of_rows_on_one_tile_each) {
  checkTopK(4, 5, 17, {6, true, SortOrder::DESCENDING});
  checkTopK(4, 20, 3, {3, false, SortOrder::ASCENDING});
}

TEST(the_k_best_of_rows_over_many_tiles) {
  checkTopK(16, 2, 1001, {5, true, SortOrder::DESCENDING});
  checkTopK(16, 1, 1000, {900, false, SortOrder::ASCENDING});
  checkTopK(13, 1, 829, {829, true, SortOrder::DESCENDING});
  checkTopK(40, 1, 2500, {1, true, SortOrder::DESCENDING});
}

TEST(the_other_order_with_and_without_stability) {
  checkTopK(8, 2, 300, {20, true, SortOrder::ASCENDING, true});
  checkTopK(8, 2, 300, {20, true, SortOrder::ASCENDING, false});
  checkTopK(8, 2, 300, {250, false, SortOrder::DESCENDING, true});
}

TEST(sorting_along_any_dimension) {
  for (unsigned dim = 0; dim < 3; ++dim) {
    Fixture f;
    const Shape shape = {3, 5, 4};
    const Tensor x = f.spread("x", shape, 7, INT);
    f.expose("y", popops::sort(f.graph, x, dim, f.prog));
    popops::sortInPlace(f.graph, x, dim, f.prog);
    Engine e = f.engine();
    std::vector<int> values(60);
    for (int i = 0; i < 60; ++i)
      values[i] = i * 37 % 23 - 11;
    write(e, "x", values);
    e.run();
    const std::vector<int> got = readAll<int>(e, "y", 60);
    CHECK_EQ(readAll<int>(e, "x", 60), got);
    std::size_t stride = 1;
    for (std::size_t d = dim + 1; d < 3; ++d)
      stride *= shape[d];
    for (std::size_t i = 0; i < 60; ++i) {
      if (i / stride % shape[dim] != 0)
        continue;
      std::vector<int> line, expected;
      for (std::size_t j = 0; j < shape[dim]; ++j) {
        expected.push_back(values[i + j * stride]);
        line.push_back(got[i + j * stride]);
      }
      std::sort(expected.begin(), expected.end());
      CHECK_EQ(line, expected);
    }
  }
}

TEST(values_follow_their_keys) {
  for (std::size_t n : {30u, 700u}) {
    Fixture f(12);
    const Tensor k = f.spread("k", Shape{2, n}, 12), v = f.spread("v", Shape{2, n}, 5, SHORT);
    f.expose("sorted", popops::sortKeyValue(f.graph, k, v, 1, f.prog));
    popops::sortKeyValueInPlace(f.graph, k, v, 1, f.prog);
    Engine e = f.engine();
    const std::vector<float> keys = data(2 * n);
    std::vector<short> values(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i)
      values[i] = static_cast<short>(i);
    write(e, "k", keys);
    write(e, "v", values);
    e.run();
    const std::vector<short> got = readAll<short>(e, "sorted", 2 * n);
    CHECK_EQ(readAll<short>(e, "v", 2 * n), got);
    const std::vector<float> sortedKeys = readFloats(e, "k", 2 * n);
    for (std::size_t row = 0; row < 2; ++row) {
      const std::vector<unsigned> expected = order(keys, row * n, n, false);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK_EQ(got[row * n + i], values[row * n + expected[i]]);
        CHECK_EQ(sortedKeys[row * n + i], keys[row * n + expected[i]]);
      }
    }
  }
}

TEST(halves_and_unsigned_numbers_and_nothing) {
  Fixture f;
  const Tensor h = f.spread("h", Shape{5}, 3, HALF), u = f.spread("u", Shape{4}, 2, UNSIGNED_INT);
  popops::sortInPlace(f.graph, h, 0, f.prog);
  f.expose("best", popops::topK(f.graph, f.prog, u, TopKParams(2, true, SortOrder::NONE)));
  const Tensor none = f.graph.addVariable(FLOAT, {3, 0});
  CHECK_EQ(popops::sort(f.graph, none, 1, f.prog).shape(), (Shape{3, 0}));
  CHECK_EQ(popops::topK(f.graph, f.prog, u, TopKParams(0, true, SortOrder::NONE)).shape(), (Shape{0}));
  Engine e = f.engine();
  write(e, "h", std::vector<unsigned short>{0x4000, 0xc000, 0x3c00, 0x0000, 0x3800}); // 2 -2 1 0 0.5
  write(e, "u", std::vector<unsigned>{5, 0xffffffffu, 7, 0});
  e.run();
  CHECK_EQ(readAll<unsigned short>(e, "h", 5), (std::vector<unsigned short>{0xc000, 0x0000, 0x3800, 0x3c00, 0x4000}));
  CHECK_EQ(readAll<unsigned>(e, "best", 2), (std::vector<unsigned>{0xffffffffu, 7}));
}

TEST(sorts_that_cannot_be) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 3}, 2), b = f.spread("b", Shape{4}, 2, BOOL);
  CHECK_THROWS(popops::sort(f.graph, x, 2, f.prog, "s"), poputil::poplibs_error, "popops::sort 's': there is no dimension 2");
  CHECK_THROWS(popops::sort(f.graph, b, 0, f.prog), poputil::poplibs_error, "bool are not supported yet");
  CHECK_THROWS(popops::sortKeyValue(f.graph, x, b, 0, f.prog), poputil::poplibs_error, "must have the same shape");
  CHECK_THROWS(popops::topK(f.graph, f.prog, x, TopKParams(4, true, SortOrder::NONE)), poputil::poplibs_error, "k is 4");
}
