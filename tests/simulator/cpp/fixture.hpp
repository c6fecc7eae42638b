// What most tests need: a small machine, the codelets written by hand, and tensors in and out of it.
#pragma once

#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

/// The module built from codelets_by_hand.cpp.
inline std::string codeletPath() {
  const char *path = std::getenv("DACE_IPU_TEST_CODELETS");
  return path ? path : "./codelets_by_hand.gp";
}

struct Fixture {
  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

  explicit Fixture(unsigned tiles = 8) : Fixture(makeDevice(tiles)) {}
  explicit Fixture(poplar::Device d) : device(std::move(d)), graph(device.getTarget()) {
    graph.addCodelets(codeletPath());
  }

  static poplar::Device makeDevice(unsigned tiles) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }

  /// A variable on one tile, with host handles "name" for reading and writing.
  poplar::Tensor variable(const std::string &name, std::vector<std::size_t> shape, unsigned tile = 0,
                          poplar::Type type = poplar::FLOAT) {
    const poplar::Tensor t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, tile);
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
    return t;
  }

  /// A variable cut evenly over tiles 0, 1, ...
  poplar::Tensor spread(const std::string &name, std::size_t n, unsigned tiles) {
    const poplar::Tensor t = variable(name, {n});
    for (unsigned tile = 0; tile < tiles; ++tile)
      graph.setTileMapping(t.slice(tile * n / tiles, (tile + 1) * n / tiles), tile);
    return t;
  }

  poplar::Engine engine(const poplar::OptionFlags &options = {}) {
    poplar::Engine e(graph, prog, options);
    e.load(device);
    return e;
  }

  /// Adds a vertex on a tile to a compute set that prog executes right away.
  poplar::VertexRef vertex(poplar::ComputeSet cs, const std::string &type, unsigned tile,
                           poplar::ArrayRef<poplar::ConnectionDesc> connections) {
    const poplar::VertexRef v = graph.addVertex(cs, type, connections);
    graph.setTileMapping(v, tile);
    return v;
  }
};

inline std::vector<float> iota(std::size_t n, float first = 0) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = first + static_cast<float>(i);
  return v;
}

inline std::vector<float> readFloats(poplar::Engine &e, const std::string &handle, std::size_t n) {
  std::vector<float> v(n);
  e.readTensor(handle, v.data(), v.data() + n);
  return v;
}

inline void write(poplar::Engine &e, const std::string &handle, const std::vector<float> &v) {
  e.writeTensor(handle, v.data(), v.data() + v.size());
}
