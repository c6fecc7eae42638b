// poplin::cholesky, triangularSolve, triangularMask, linspace and meshgrid2d.
#include "fixture.hpp"

#include <poplar/exceptions.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;

namespace {

struct Machine : Fixture {
  Machine() : Fixture(8) { poplin::addCodelets(graph); }
};

// Well-conditioned triangular matrices: numbers below one, and a diagonal above.
std::vector<float> triangles(std::size_t batch, std::size_t n) {
  std::vector<float> v(batch * n * n);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t r = i / n % n, c = i % n;
    v[i] = r == c ? 2 + static_cast<float>(i % 3) : static_cast<float>((i * 7) % 5 - 2.0) / static_cast<float>(n);
  }
  return v;
}

bool inTriangle(std::size_t r, std::size_t c, bool lower) { return lower ? c <= r : c >= r; }

void checkCholesky(std::size_t batch, std::size_t n, bool lower, const char *blockSize) {
  Machine f;
  const Tensor a = poplin::createCholeskyInput(f.graph, FLOAT, {batch, n, n}, lower, "a");
  const Tensor out = poplin::cholesky(f.graph, a, lower, f.prog, "cholesky", {{"blockSize", blockSize}});
  f.expose("a", a);
  f.expose("out", out);
  std::vector<float> l = triangles(batch, n), product(l.size());
  for (std::size_t i = 0; i < l.size(); ++i)
    l[i] = inTriangle(i / n % n, i % n, lower) ? l[i] : 0;
  const auto at = [&](std::size_t b, std::size_t r, std::size_t c) { return l[(b * n + r) * n + c]; };
  for (std::size_t i = 0; i < l.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t b = i / n / n, r = i / n % n, c = i % n;
      product[i] += lower ? at(b, r, k) * at(b, c, k) : at(b, k, r) * at(b, k, c);
    }
  for (std::size_t i = 0; i < l.size(); ++i) // what must not be read
    product[i] = inTriangle(i / n % n, i % n, lower) ? product[i] : NAN;
  Engine e = f.engine();
  write(e, "a", product);
  e.run();
  const std::vector<float> got = readFloats(e, "out", l.size());
  for (std::size_t i = 0; i < l.size(); ++i)
    CHECK(std::fabs(got[i] - l[i]) < 1e-4f);
}

void checkSolve(std::size_t batch, std::size_t n, std::size_t m, bool left, bool lower, bool unit,
                const char *blockSize) {
  Machine f;
  const std::vector<std::size_t> aShape{batch, n, n}, bShape{batch, left ? n : m, left ? m : n};
  const Tensor a = poplin::createTriangularSolveInputLHS(f.graph, FLOAT, FLOAT, aShape, bShape, left, "a");
  const Tensor b = poplin::createTriangularSolveInputRHS(f.graph, FLOAT, FLOAT, aShape, bShape, left, "b");
  const Tensor x = poplin::triangularSolve(f.graph, a, b, left, lower, unit, f.prog, "solve",
                                           {{"blockSize", blockSize}});
  CHECK_EQ(x.shape() == bShape, true);
  f.expose("a", a);
  f.expose("b", b);
  f.expose("x", x);
  std::vector<float> t = triangles(batch, n), want(batch * n * m), side(batch * n * m);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = static_cast<float>((i * 3) % 7) - 3;
  const auto element = [&](std::size_t g, std::size_t r, std::size_t c) {
    return !inTriangle(r, c, lower) ? 0.f : r == c && unit ? 1.f : t[(g * n + r) * n + c];
  };
  for (std::size_t i = 0; i < want.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t g = i / (n * m), r = i / bShape[2] % bShape[1], c = i % bShape[2];
      side[i] += left ? element(g, r, k) * want[(g * n + k) * m + c] : want[(g * m + r) * n + k] * element(g, k, c);
    }
  for (std::size_t i = 0; i < t.size(); ++i)
    if (!inTriangle(i / n % n, i % n, lower) || (unit && i / n % n == i % n))
      t[i] = 99;
  Engine e = f.engine();
  write(e, "a", t);
  write(e, "b", side);
  e.run();
  const std::vector<float> got = readFloats(e, "x", want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(std::fabs(got[i] - want[i]) < 2e-3f);
}

} // namespace

TEST(cholesky_factors) {
  checkCholesky(1, 1, true, "64");
  checkCholesky(1, 37, true, "8");
  checkCholesky(3, 20, false, "7");
  checkCholesky(2, 16, true, "64");
}

TEST(cholesky_in_place_of_a_matrix) {
  Machine f;
  const Tensor a = f.spread("a", {2, 2}, 1);
  poplin::choleskyInPlace(f.graph, a, true, f.prog);
  Engine e = f.engine();
  write(e, "a", std::vector<float>{4, 2, 2, 10});
  e.run();
  CHECK_EQ(readFloats(e, "a", 4) == (std::vector<float>{2, 0, 1, 3}), true);
}

TEST(triangular_systems) {
  for (const bool left : {true, false})
    for (const bool lower : {true, false})
      for (const bool unit : {true, false}) {
        checkSolve(1, 30, 5, left, lower, unit, "8");
        checkSolve(2, 9, 1, left, lower, unit, "64");
      }
}

TEST(triangular_masks) {
  Machine f;
  const Tensor a = f.spread("a", {1, 3, 3}, 2), none = f.spread("none", {0, 0}, 1);
  f.expose("lower", poplin::triangularMask(f.graph, a, true, false, f.prog));
  f.expose("unit", poplin::triangularMask(f.graph, a, false, true, f.prog));
  poplin::triangularMask(f.graph, none, true, true, f.prog);
  Engine e = f.engine();
  write(e, "a", iota(9, 2));
  e.run();
  CHECK_EQ(readFloats(e, "lower", 9) == (std::vector<float>{2, 0, 0, 5, 6, 0, 8, 9, 10}), true);
  CHECK_EQ(readFloats(e, "unit", 9) == (std::vector<float>{1, 3, 4, 0, 1, 7, 0, 0, 1}), true);
}

TEST(grids) {
  Machine f;
  const Tensor x = poplin::linspace(f.graph, FLOAT, -1, 1, 5), one = poplin::linspace(f.graph, HALF, 3, 9, 1);
  CHECK_EQ(one.numElements(), 1u);
  const auto grid = poplin::meshgrid2d(f.graph, x, f.spread("y", 2, 1));
  CHECK_EQ(grid.at(0).shape() == (std::vector<std::size_t>{2, 5}), true);
  f.graph.createHostRead("x", grid.at(0));
  f.graph.createHostRead("ys", grid.at(1));
  Engine e = f.engine();
  write(e, "y", std::vector<float>{7, 8});
  e.run();
  CHECK_EQ(readFloats(e, "x", 10) == (std::vector<float>{-1, -.5f, 0, .5f, 1, -1, -.5f, 0, .5f, 1}), true);
  CHECK_EQ(readFloats(e, "ys", 10)[5], 8.f);
}

TEST(misuse_of_triangular_functions) {
  Machine f;
  const Tensor a = f.spread("a", {3, 4}, 1), s = f.spread("s", {3, 3}, 1), i = f.spread("i", {2, 2}, 1, INT);
  CHECK_THROWS(poplin::cholesky(f.graph, a, true, f.prog, "c"), poputil::poplibs_error, "not square");
  CHECK_THROWS(poplin::cholesky(f.graph, i, true, f.prog, "c"), poputil::poplibs_error, "int");
  CHECK_THROWS(poplin::triangularSolve(f.graph, s, a, false, true, false, f.prog), poputil::poplibs_error,
               "do not fit");
  CHECK_THROWS(poplin::cholesky(f.graph, s, true, f.prog, "c", {{"blockSize", "0"}}), invalid_option, "blockSize");
  CHECK_THROWS(poplin::linspace(f.graph, INT, 0, 1, 3), poputil::poplibs_error, "not supported yet");
  CHECK_THROWS(poplin::meshgrid2d(f.graph, a, s), poputil::poplibs_error, "two vectors");
}
