// How a matrix product is cut over tiles.
#pragma once

#include "blocking.hpp"
#include "options.hpp"

#include <poplar/Target.hpp>

#include <cstdint>
#include <iosfwd>
#include <tuple>

namespace poplin::internal {

/// C[g] = A[g] * B[g] for [rows, depth] and [depth, columns].
struct ProductSize {
  std::size_t groups = 0, rows = 0, depth = 0, columns = 0;
};

struct Product {
  ProductSize size;
  poplar::Type input, output;
};

enum class Method { MatrixUnit, DotProducts };

/// A partition. If `swapped`, what is partitioned is the transposed product: rows are columns of B, columns rows of A.
///
/// Part (g, r, d, c) is the work of tile ((g * R + r) * C + c) * D + d, with R, C, D parts; a tile does `serial` parts of the columns
/// one after another. Partial results of the D tiles with equal (g, r, c) are summed by these tiles, a share each.
struct Plan {
  ProductSize size;
  poplar::Type input, partial, output;
  bool swapped = false;
  Method method = Method::MatrixUnit;
  Split groups, rows, depth, columns; ///< columns.part is what one step does
  std::size_t serial = 1;             ///< steps
  std::size_t depthGrain = 1, columnGrain = 1;
  std::uint64_t cycles = 0;
  std::uint64_t temporaryBytes = 0;

  std::size_t columnTiles() const { return ceilDiv(columns.count(), serial); }
  std::size_t tiles() const { return groups.count() * rows.count() * columnTiles() * depth.count(); }
  unsigned tile(std::size_t g, std::size_t r, std::size_t c, std::size_t d) const {
    return static_cast<unsigned>(((g * rows.count() + r) * columnTiles() + c / serial) * depth.count() + d);
  }
  /// Whether the left blocks are brought to the tiles before the first step, not in every step.
  bool bringsLeftOnce() const { return serial > 1 && columnTiles() > 1; }
  bool needsReduction() const { return depth.count() > 1 || partial != output; }

  Blocking left() const;   ///< [groups, rows, depth]
  Blocking right() const;  ///< [groups, depth, columns], or [groups, columns, depth] for dot products
  Blocking result() const; ///< [groups, rows, columns]
};

/// The plan with the fewest estimated cycles whose temporary memory fits, or else the one that needs the least. No size may be zero.
/// Source of the objective: PopLibs, poplin/ConvModel.cpp.
Plan planProduct(const poplar::Target &target, const Product &product, const Options &options);

std::ostream &operator<<(std::ostream &os, const Plan &plan);

} // namespace poplin::internal
