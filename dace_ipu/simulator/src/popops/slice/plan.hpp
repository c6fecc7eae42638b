// The plan of a table.
#pragma once

#include <popops/DynamicSlice.hpp>

#include <cstddef>

namespace popops {

/// Blocks of rowsPerTile x colsPerTile; 0 means that there is no plan.
class SlicePlanInternal {
public:
  std::size_t groups = 1;
  std::size_t rowsPerTile = 0;
  std::size_t colsPerTile = 0;
  bool isNull() const { return colsPerTile == 0; }
};

} // namespace popops
