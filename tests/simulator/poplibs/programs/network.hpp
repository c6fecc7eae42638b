// A machine with all libraries, and matrices on the host.
#pragma once

#include "fixture.hpp"

#include <gcl/Collectives.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <poprand/codelets.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;

struct Network : Fixture {
  explicit Network(unsigned tiles = 8, unsigned ipus = 1) : Fixture(tiles, ipus) { addAll(graph); }
  static void addAll(Graph &graph) {
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    popops::addCodelets(graph);
    poprand::addCodelets(graph);
  }
};

using Matrix = std::vector<double>;

/// Numbers between -0.5 and 0.5.
inline Matrix someNumbers(std::size_t n, unsigned seed) {
  Matrix v(n);
  for (double &x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
  }
  return v;
}

inline std::vector<float> floats(const Matrix &m) { return {m.begin(), m.end()}; }

/// [m, k] times [k, n].
inline Matrix product(const Matrix &a, const Matrix &b, std::size_t m, std::size_t k, std::size_t n) {
  Matrix c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

/// [m, n] transposed.
inline Matrix transposed(const Matrix &a, std::size_t m, std::size_t n) {
  Matrix t(m * n);
  for (std::size_t i = 0; i < m * n; ++i)
    t[i % n * m + i / n] = a[i];
  return t;
}

inline bool near(const std::vector<float> &got, const Matrix &wanted, double tolerance) {
  if (got.size() != wanted.size())
    return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::fabs(got[i] - wanted[i]) <= tolerance * (1 + std::fabs(wanted[i])))) {
      std::cerr << "element " << i << ": " << got[i] << " not " << wanted[i] << '\n';
      return false;
    }
  return true;
}
