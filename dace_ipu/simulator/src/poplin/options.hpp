// The options of matrix products and convolutions.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

namespace poplin::internal {

struct Options {
  double availableMemoryProportion = 0.6;
  poplar::Type partialsType = poplar::FLOAT;
};

/// Throws poplar::invalid_option for options and values that do not exist.
Options parseOptions(const poplar::OptionFlags &flags);

} // namespace poplin::internal
