// A variable or constant of a graph.
#pragma once

#include "tile_map.hpp"

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dace_ipu_sim {

class View;

/// `elements` elements of one type. Constants own their bytes.
struct Variable {
  unsigned id = 0;
  std::string name;
  poplar::Type type;
  std::size_t elements = 0;
  bool isConstant = false;
  bool isReplicaIndex = false; // a constant of one element, which every replica fills with its number
  bool isInternal = false; // made by libpoplar, e.g. for a value connected to a field
  std::vector<std::uint8_t> bytes;
  TileMap mapping;
  std::shared_ptr<const View> metadata; // of quarter elements
};

} // namespace dace_ipu_sim
