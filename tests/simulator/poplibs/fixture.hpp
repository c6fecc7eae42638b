// What most tests of the libraries need: a small machine with all their codelets, and tensors in and out of it.
#pragma once

#include "../cpp/check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>

#include <string>
#include <vector>

struct Fixture {
  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

  explicit Fixture(unsigned tiles = 8, unsigned ipus = 1) : device(makeDevice(tiles, ipus)), graph(device.getTarget()) {
    popops::addCodelets(graph);
  }

  static poplar::Device makeDevice(unsigned tiles, unsigned ipus) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    model.numIPUs = ipus;
    return model.createDevice();
  }

  /// A variable on one tile, with host handles "name" for reading and writing.
  poplar::Tensor variable(const std::string &name, std::vector<std::size_t> shape, unsigned tile = 0,
                          poplar::Type type = poplar::FLOAT) {
    const poplar::Tensor t = handled(name, shape, type);
    graph.setTileMapping(t, tile);
    return t;
  }

  /// A variable cut evenly over tiles 0, 1, ... in row-major order.
  poplar::Tensor spread(const std::string &name, std::vector<std::size_t> shape, unsigned tiles,
                        poplar::Type type = poplar::FLOAT) {
    const poplar::Tensor t = handled(name, shape, type);
    const poplar::Tensor flat = t.flatten();
    const std::size_t n = flat.numElements();
    for (unsigned tile = 0; tile < tiles; ++tile)
      graph.setTileMapping(flat.slice(tile * n / tiles, (tile + 1) * n / tiles), tile);
    return t;
  }
  poplar::Tensor spread(const std::string &name, std::size_t n, unsigned tiles, poplar::Type type = poplar::FLOAT) {
    return spread(name, std::vector<std::size_t>{n}, tiles, type);
  }

  /// Host handles for a tensor that an operation returned.
  void expose(const std::string &name, const poplar::Tensor &t) {
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
  }

  poplar::Engine engine(const poplar::OptionFlags &options = {}) {
    poplar::Engine e(graph, prog, options);
    e.load(device);
    return e;
  }

private:
  poplar::Tensor handled(const std::string &name, const std::vector<std::size_t> &shape, poplar::Type type) {
    const poplar::Tensor t = graph.addVariable(type, shape, name);
    expose(name, t);
    return t;
  }
};

inline std::vector<float> iota(std::size_t n, float first = 0) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = first + static_cast<float>(i);
  return v;
}

template <typename T> std::vector<T> readAll(poplar::Engine &e, const std::string &handle, std::size_t n) {
  std::vector<T> v(n);
  e.readTensor(handle, v.data(), v.data() + n);
  return v;
}

inline std::vector<float> readFloats(poplar::Engine &e, const std::string &handle, std::size_t n) {
  return readAll<float>(e, handle, n);
}

template <typename T> void write(poplar::Engine &e, const std::string &handle, const std::vector<T> &v) {
  e.writeTensor(handle, v.data(), v.data() + v.size());
}
