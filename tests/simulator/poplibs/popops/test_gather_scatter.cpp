// Gather and scatter, against the definition of XLA worked out by hand.
#include "fixture.hpp"

#include <popops/CircBuf.hpp>
#include <popops/Gather.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

} // namespace

TEST(gather_along_each_axis) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    Fixture f;
    const Shape shape = {4, 5, 6};
    const Tensor x = f.spread("x", shape, 7), at = f.variable("at", {2, 3}, 1, UNSIGNED_INT);
    const Tensor y = popops::gather(f.graph, x, at, axis, f.prog, {});
    Shape expected = shape;
    expected.erase(expected.begin() + axis);
    expected.insert(expected.begin() + axis, {2, 3});
    CHECK_EQ(y.shape(), expected);
    f.expose("y", y);
    Engine e = f.engine();
    write(e, "x", iota(120));
    const std::vector<unsigned> places = {3, 0, 1, 2, 2, 3};
    write(e, "at", places);
    e.run();
    const std::vector<float> got = readFloats(e, "y", y.numElements());
    const std::size_t inner = axis == 0 ? 30 : axis == 1 ? 6 : 1;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t outer = i / inner / 6, place = places[i / inner % 6];
      CHECK_EQ(got[i], static_cast<float>((outer * shape[axis] + place) * inner + i % inner));
    }
  }
}

TEST(gather_of_windows) {
  Fixture f;
  const Tensor x = popops::createGatherInput(f.graph, FLOAT, {5, 6}, {2, 3}, {1, 0});
  f.expose("x", x);
  const Tensor at = f.variable("at", {2, 4}, 0, INT); // vectors in dimension 0, given as (column, row)
  const Tensor y = popops::gather(f.graph, x, at, 0, {0, 2}, {2, 3}, {}, {1, 0}, f.prog);
  CHECK_EQ(y.shape(), (Shape{2, 4, 3}));
  f.expose("y", y);
  Engine e = f.engine();
  write(e, "x", iota(30));
  const int columns[] = {0, 3, 2, 1}, rows[] = {0, 3, 1, 2};
  write(e, "at", std::vector<int>{0, 3, 2, 1, 0, 3, 1, 2});
  e.run();
  const std::vector<float> got = readFloats(e, "y", 24);
  for (int r = 0; r < 2; ++r)
    for (int n = 0; n < 4; ++n)
      for (int c = 0; c < 3; ++c)
        CHECK_EQ(got[(r * 4 + n) * 3 + c], static_cast<float>((rows[n] + r) * 6 + columns[n] + c));
}

TEST(gather_of_elements) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{3, 3}, 4), at = f.variable("at", {2, 2}, 0, UNSIGNED_INT);
  f.expose("y", popops::gather(f.graph, x, at, 1, {}, {1, 1}, {0, 1}, {0, 1}, f.prog));
  CHECK_THROWS(popops::gather(f.graph, x, at, 3, {}, {1, 1}, {0, 1}, {0, 1}, f.prog), poputil::poplibs_error,
               "no dimension 3 in indices");
  CHECK_THROWS(popops::gather(f.graph, x, at, 1, {}, {1, 4}, {0, 1}, {0, 1}, f.prog), poputil::poplibs_error,
               "larger than input");
  Engine e = f.engine();
  write(e, "x", iota(9, 1));
  write(e, "at", std::vector<unsigned>{1, 1, 2, 1});
  e.run();
  CHECK_EQ(readFloats(e, "y", 2), (std::vector<float>{5, 8}));
}

TEST(scatter_of_rows_and_of_elements) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{5, 3}, 4), at = f.variable("at", {2}, 0, UNSIGNED_INT);
  const Tensor rows = f.variable("rows", {2, 3}), y = f.spread("y", Shape{5, 3}, 5);
  const Tensor pairs = f.variable("pairs", {2, 2}, 1, INT), elements = f.variable("elements", {2});
  popops::scatter(f.graph, x, at, rows, 1, {1}, {0}, {0}, f.prog);
  popops::scatter(f.graph, y, pairs, elements, 1, {}, {0, 1}, {0, 1}, f.prog);
  CHECK_THROWS(popops::scatter(f.graph, x, at, rows, 1, {1}, {}, {0}, f.prog), poputil::poplibs_error, "do not fit");
  Engine e = f.engine();
  write(e, "x", iota(15));
  write(e, "y", iota(15));
  write(e, "at", std::vector<unsigned>{4, 1});
  write(e, "rows", iota(6, 100));
  write(e, "pairs", std::vector<int>{2, 2, 0, 1});
  write(e, "elements", std::vector<float>{-1, -2});
  e.run();
  CHECK_EQ(readFloats(e, "x", 15), (std::vector<float>{0, 1, 2, 103, 104, 105, 6, 7, 8, 9, 10, 11, 100, 101, 102}));
  CHECK_EQ(readFloats(e, "y", 15), (std::vector<float>{0, -2, 2, 3, 4, 5, 6, 7, -1, 9, 10, 11, 12, 13, 14}));
}

TEST(scatter_with_a_computation_combines_in_order) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{4, 2}, 3), at = f.variable("at", {3}, 0, UNSIGNED_INT);
  const Tensor rows = f.variable("rows", {3, 2});
  // What is there is kept where the element came from an even column: shows both operands and the order of calls.
  popops::UpdateComputationFunc mix = [](Graph &graph, Tensor &old, Tensor &news, program::Sequence &prog) {
    const Tensor result = graph.clone(old);
    prog.add(program::Copy(concat(news.slice(1, 2, 1), old.slice(0, 1, 1), 1), result));
    return result;
  };
  popops::scatter(f.graph, x, at, rows, 1, {1}, {0}, {0}, mix, f.prog);
  Engine e = f.engine();
  for (int run = 0; run < 2; ++run) {
    write(e, "x", iota(8));
    write(e, "at", std::vector<unsigned>{2, 0, 2});
    write(e, "rows", iota(6, 100));
    e.run();
    CHECK_EQ(readFloats(e, "x", 8), (std::vector<float>{103, 0, 2, 3, 105, 101, 6, 7}));
  }
}

TEST(a_circular_buffer_remembers) {
  Fixture f;
  const Tensor x = f.spread("x", Shape{3, 3}, 4);
  popops::CircBuf buffer(f.graph, FLOAT, 3, {3, 3}, "buffer");
  buffer.add(x, f.prog);
  for (unsigned i = 0; i < 3; ++i)
    f.expose("ago" + std::to_string(i), buffer.prev(i, f.prog));
  CHECK_THROWS(buffer.prev(3, f.prog, "p"), poputil::poplibs_error, "there is none 3 ago");
  Engine e = f.engine();
  for (int i = 0; i < 7; ++i) {
    write(e, "x", iota(9, 10.0f * i));
    e.run();
  }
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(readFloats(e, "ago" + std::to_string(i), 9), iota(9, 10.0f * (6 - i)));
}

TEST(tensors_for_the_host_lie_in_packets) {
  Fixture f;
  const Tensor t = popops::createHostTransferableTensor(f.graph, FLOAT, {600}, true, std::size_t(1024));
  const auto mapping = f.graph.getTileMapping(t);
  CHECK_EQ(mapping[1].at(0), Interval(0, 256));
  CHECK_EQ(mapping[3].at(0), Interval(512, 600));
  const popops::IndicesAndTensor both = popops::createHostSliceableTensor(f.graph, HALF, {3, 100}, false);
  CHECK_EQ(both.indices.numElements(), 3u);
  CHECK_EQ(both.tensor.shape(), (Shape{3, 100}));
}
