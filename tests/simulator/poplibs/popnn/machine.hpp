// What the tests of popnn need: a small machine with its codelets, and tensors of either floating-point type in and out of it.
#pragma once

#include "fixture.hpp"

#include <poplar/exceptions.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

struct Machine : Fixture {
  explicit Machine(unsigned tiles = 8) : Fixture(tiles) { popnn::addCodelets(graph); }

  void put(poplar::Engine &e, const std::string &handle, const poplar::Type &type, const std::vector<float> &v) {
    if (type == poplar::FLOAT)
      return write(e, handle, v);
    std::vector<std::uint16_t> halves(v.size());
    poplar::copyFloatToDeviceHalf(graph.getTarget(), v.data(), halves.data(), v.size());
    write(e, handle, halves);
  }

  std::vector<float> get(poplar::Engine &e, const std::string &handle, const poplar::Type &type, std::size_t n) {
    if (type == poplar::FLOAT)
      return readFloats(e, handle, n);
    const std::vector<std::uint16_t> halves = readAll<std::uint16_t>(e, handle, n);
    std::vector<float> v(n);
    poplar::copyDeviceHalfToFloat(graph.getTarget(), halves.data(), v.data(), n);
    return v;
  }
};

/// From -3 to 3 in an irregular order.
inline std::vector<float> values(std::size_t n, unsigned seed = 0) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 37 + seed * 11) % 61) / 10 - 3;
  return v;
}

inline bool near(const std::vector<float> &a, const std::vector<float> &b, float tolerance) {
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= tolerance * (1 + std::fabs(b[i])))) {
      std::cerr << "element " << i << ": " << a[i] << " not " << b[i] << '\n';
      return false;
    }
  return true;
}

inline float toleranceOf(const poplar::Type &type) { return type == poplar::FLOAT ? 1e-5f : 3e-3f; }
