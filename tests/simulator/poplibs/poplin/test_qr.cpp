// poplin::experimental::QRFactorization: Q R is A, Q is orthogonal, R is upper triangular.
#include "fixture.hpp"

#include <poplin/codelets.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;

namespace {

std::vector<float> identity(std::size_t n) {
  std::vector<float> v(n * n);
  for (std::size_t i = 0; i < n; ++i)
    v[i * n + i] = 1;
  return v;
}

// [m, k] times [k, n].
std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, std::size_t m, std::size_t k,
                           std::size_t n) {
  std::vector<float> c(m * n);
  for (std::size_t i = 0; i < m * n; ++i)
    for (std::size_t l = 0; l < k; ++l)
      c[i] += a[i / n * k + l] * b[l * n + i % n];
  return c;
}

void checkFactors(std::size_t m, std::size_t n, const std::vector<float> &a) {
  Fixture f(4);
  poplin::addCodelets(f.graph);
  auto [A, Q] = poplin::experimental::createQRFactorizationMatrices(f.graph, FLOAT, m, n, "qr");
  f.expose("a", A);
  f.expose("q", Q);
  poplin::experimental::QRFactorization(f.graph, A, Q, f.prog, "qr", {{"rowsPerIteration", "16"}});
  Engine e = f.engine();
  write(e, "a", a);
  write(e, "q", identity(m));
  e.run();
  const std::vector<float> r = readFloats(e, "a", m * n), q = readFloats(e, "q", m * m);
  std::vector<float> transposed(m * m);
  for (std::size_t i = 0; i < m * m; ++i)
    transposed[i] = q[i % m * m + i / m];
  const std::vector<float> back = product(q, r, m, m, n), one = product(transposed, q, m, m, m);
  for (std::size_t i = 0; i < m * n; ++i) {
    CHECK(std::fabs(back[i] - a[i]) < 1e-5f);
    CHECK(i / n <= i % n || std::fabs(r[i]) < 1e-5f);
  }
  for (std::size_t i = 0; i < m * m; ++i)
    CHECK(std::fabs(one[i] - identity(m)[i]) < 1e-5f);
}

} // namespace

TEST(factors_of_matrices) {
  std::vector<float> a;
  for (std::size_t i = 0; i < 63; ++i)
    a.push_back(static_cast<float>((i * 37) % 23) / 10 - 1);
  checkFactors(9, 7, a);
  checkFactors(7, 7, {a.begin(), a.begin() + 49});
  checkFactors(1, 1, {-2});
  checkFactors(3, 2, {0, 0, 0, 1, 0, 1}); // a column of zeros has no reflection
}

TEST(matrices_without_factors) {
  Fixture f;
  Tensor a = f.variable("a", {2, 3}), q = f.variable("q", {2, 2});
  CHECK_THROWS(poplin::experimental::QRFactorization(f.graph, a, q, f.prog, "qr"), poputil::poplibs_error,
               "[m, n] with m >= n");
}
