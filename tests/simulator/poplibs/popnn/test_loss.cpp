// popnn::calcLoss, argMax and their relatives.
#include "machine.hpp"

#include <popnn/Loss.hpp>

using namespace poplar;

namespace {

std::vector<float> probabilities(std::size_t rows, std::size_t columns) {
  std::vector<float> p(rows * columns);
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = static_cast<float>(1 + (i * 7) % 13);
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (std::size_t c = 0; c < columns; ++c)
      sum += p[r * columns + c];
    for (std::size_t c = 0; c < columns; ++c)
      p[r * columns + c] /= sum;
  }
  return p;
}

std::size_t bestOf(const std::vector<float> &x, std::size_t row, std::size_t columns, bool largest = true) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < columns; ++c)
    if (largest ? x[row * columns + c] > x[row * columns + best] : x[row * columns + c] < x[row * columns + best])
      best = c;
  return best;
}

void checkLoss(popnn::LossType kind, std::size_t rows, std::size_t columns, float scaling, const Type &type) {
  Machine f(4);
  const Tensor out = f.spread("out", {rows, columns}, 4, type), loss = f.spread("loss", rows, 2, type);
  const Tensor deltas = f.spread("deltas", {rows, columns}, 3, type);
  const Tensor labels = f.spread("labels", rows, 1, scaling == 1 ? UNSIGNED_INT : INT);
  const Tensor correct = f.variable("correct", {}, 1, UNSIGNED_INT);
  const Tensor factor = f.variable("factor", {}, 0, type), scale = f.variable("scale", {}, 0, type);
  f.prog.add(popnn::calcLoss(f.graph, out, labels, loss, deltas, factor, scale, correct, kind, "loss"));
  Engine e = f.engine();
  const std::vector<float> p = probabilities(rows, columns);
  std::vector<float> scaled = p;
  for (float &x : scaled)
    x *= scaling;
  std::vector<std::uint32_t> label(rows);
  for (std::size_t r = 0; r < rows; ++r)
    label[r] = r % 3 == 0 ? bestOf(p, r, columns) : (r * 5) % columns;
  if (rows > 2)
    label[2] = MASKED_LABEL_CODE;
  f.put(e, "out", type, scaled);
  write(e, "labels", label);
  f.put(e, "factor", type, std::vector<float>{2.f});
  f.put(e, "scale", type, std::vector<float>{scaling});
  write(e, "correct", std::vector<std::uint32_t>{0});
  e.run();

  std::vector<float> wantLoss(rows), wantDeltas(rows * columns);
  std::uint32_t wantCorrect = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    wantCorrect += bestOf(p, r, columns) == label[r] ? 1 : 0;
    for (std::size_t c = 0; c < columns && label[r] != MASKED_LABEL_CODE; ++c) {
      const float delta = p[r * columns + c] - (c == label[r] ? 1 : 0);
      wantDeltas[r * columns + c] = 2 * delta;
      wantLoss[r] += kind == popnn::SUM_SQUARED_LOSS ? delta * delta / 2
                     : c == label[r]                 ? -std::log(p[r * columns + c])
                                                     : 0;
    }
  }
  CHECK(near(f.get(e, "loss", type, rows), wantLoss, 4 * toleranceOf(type)));
  CHECK(near(f.get(e, "deltas", type, rows * columns), wantDeltas, toleranceOf(type)));
  CHECK_EQ(readAll<std::uint32_t>(e, "correct", 1)[0], wantCorrect);
}

} // namespace

TEST(losses) {
  for (const Type &type : {FLOAT, HALF})
    for (const std::size_t columns : {2, 10, 200}) {
      checkLoss(popnn::SUM_SQUARED_LOSS, 7, columns, 1, type);
      checkLoss(popnn::CROSS_ENTROPY_LOSS, 7, columns, 1, type);
      checkLoss(popnn::CROSS_ENTROPY_LOSS, 40, columns, 100, type);
    }
}

TEST(short_forms_of_losses_and_accuracy) {
  Machine f;
  const Tensor out = f.spread("out", {4, 5}, 4), labels = f.spread("labels", 4, 1, UNSIGNED_INT);
  const Tensor loss = f.spread("loss", 4, 1), deltas = f.spread("deltas", {4, 5}, 4);
  const Tensor a = f.variable("a", {1}, 0, UNSIGNED_INT), b = f.variable("b", {}, 2, UNSIGNED_INT);
  f.prog.add(popnn::calcLoss(f.graph, out, labels, loss, deltas, popnn::SUM_SQUARED_LOSS));
  f.prog.add(popnn::calcLoss(f.graph, out, labels, loss, deltas, a, popnn::CROSS_ENTROPY_LOSS, "loss"));
  f.prog.add(popnn::calcAccuracy(f.graph, out, labels, b, "accuracy"));
  Engine e = f.engine();
  const std::vector<float> p = probabilities(4, 5);
  write(e, "out", p);
  write(e, "labels", std::vector<unsigned>(4, 1));
  for (const char *number : {"a", "b"})
    write(e, number, std::vector<std::uint32_t>{0});
  e.run();
  std::uint32_t want = 0;
  for (std::size_t r = 0; r < 4; ++r)
    want += bestOf(p, r, 5) == 1 ? 1 : 0;
  CHECK(want > 0);
  CHECK_EQ(readAll<std::uint32_t>(e, "a", 1)[0], want);
  CHECK_EQ(readAll<std::uint32_t>(e, "b", 1)[0], want);
  e.run(); // the numbers of correct rows add up until the program zeroes them
  CHECK_EQ(readAll<std::uint32_t>(e, "a", 1)[0], 2 * want);
  CHECK_EQ(readAll<std::uint32_t>(e, "b", 1)[0], 2 * want);
  CHECK(std::fabs(readFloats(e, "loss", 4)[0] + std::log(p[1])) < 1e-5f);
}

TEST(largest_and_smallest_of_rows) {
  const std::size_t shapes[][2] = {{1, 1}, {3, 500}, {100, 7}, {9, 33}};
  for (const Type &type : {FLOAT, HALF})
    for (const auto &s : shapes) {
      Machine f(4);
      const Tensor x = f.spread("x", {s[0], s[1]}, 4, type);
      const auto most = popnn::maxAndArgMax(f.graph, x, f.prog), least = popnn::minAndArgMin(f.graph, x, f.prog);
      f.expose("max", most.first);
      f.expose("argMax", popnn::argMax(f.graph, x, f.prog));
      f.expose("argMin", least.second);
      Engine e = f.engine();
      const std::vector<float> xs = values(s[0] * s[1], 2);
      f.put(e, "x", type, xs);
      e.run();
      for (std::size_t r = 0; r < s[0]; ++r) {
        const std::size_t best = bestOf(xs, r, s[1]);
        CHECK_EQ(readAll<std::uint32_t>(e, "argMax", s[0])[r], best);
        CHECK_EQ(readAll<std::uint32_t>(e, "argMin", s[0])[r], bestOf(xs, r, s[1], false));
        CHECK(std::fabs(f.get(e, "max", type, s[0])[r] - xs[r * s[1] + best]) < 1e-2f);
      }
    }
}

TEST(largest_of_integers) {
  Machine f(4);
  const Tensor x = f.spread("x", {2, 40}, 4, INT);
  f.expose("argMax", popnn::argMax(f.graph, x, f.prog));
  Engine e = f.engine();
  std::vector<int> xs(80, -5);
  xs[17] = -1;
  xs[40 + 39] = 9;
  write(e, "x", xs);
  e.run();
  CHECK_EQ(readAll<std::uint32_t>(e, "argMax", 2) == (std::vector<std::uint32_t>{17, 39}), true);
}

TEST(the_k_largest) {
  Machine f(4);
  const Tensor x = f.spread("x", {3, 61}, 4), y = f.spread("y", {30, 4}, 4, UNSIGNED_INT);
  Tensor places, all;
  f.expose("values", popnn::topK(f.graph, x, places, 5, true, f.prog));
  f.expose("places", places);
  f.expose("sorted", popnn::topK(f.graph, y, all, 4, false, f.prog));
  Engine e = f.engine();
  const std::vector<float> xs = values(183);
  std::vector<unsigned> ys(120);
  for (std::size_t i = 0; i < 120; ++i)
    ys[i] = static_cast<unsigned>((i * 7) % 11);
  write(e, "x", xs);
  write(e, "y", ys);
  e.run();
  const std::vector<float> got = readFloats(e, "values", 15);
  const std::vector<std::uint32_t> at = readAll<std::uint32_t>(e, "places", 15);
  for (std::size_t r = 0; r < 3; ++r) {
    std::vector<float> row(xs.begin() + static_cast<long>(r * 61), xs.begin() + static_cast<long>(r * 61 + 61));
    for (std::size_t i = 0; i < 5; ++i)
      CHECK_EQ(row[at[r * 5 + i]], got[r * 5 + i]);
    std::sort(row.rbegin(), row.rend());
    for (std::size_t i = 0; i < 5; ++i)
      CHECK_EQ(row[i], got[r * 5 + i]);
  }
  const std::vector<unsigned> sorted = readAll<unsigned>(e, "sorted", 120);
  for (std::size_t i = 0; i < 120; ++i)
    CHECK(i % 4 == 0 || sorted[i - 1] >= sorted[i]);
}

TEST(misuse_of_losses) {
  Machine f;
  const Tensor out = f.spread("out", {4, 5}, 4), labels = f.spread("labels", 4, 1, UNSIGNED_INT);
  const Tensor loss = f.spread("loss", 4, 1), vector = f.spread("vector", 5, 1), count = f.variable("count", {});
  Tensor places;
  CHECK_THROWS(popnn::calcLoss(f.graph, out, labels, loss, loss, popnn::SUM_SQUARED_LOSS, "l"), poputil::poplibs_error,
               "'l': gradients");
  CHECK_THROWS(popnn::calcLoss(f.graph, out, loss, loss, out, popnn::SUM_SQUARED_LOSS), poputil::poplibs_error,
               "labels are");
  CHECK_THROWS(popnn::argMax(f.graph, vector, f.prog), poputil::poplibs_error, "no matrix");
  CHECK_THROWS(popnn::topK(f.graph, out, places, 6, true, f.prog), poputil::poplibs_error, "has no 6");
  CHECK_THROWS(popnn::calcAccuracy(f.graph, out, labels, count), poputil::poplibs_error, "unsigned int");
}
