// What the vertices of poplin cost, in tile cycles. Used by the planner and as estimators of the vertices.
#pragma once

#include <poplar/Target.hpp>

#include "../poputil/library_codelets.hpp"

#include <cstdint>

namespace poplin::internal {

/// The work of one vertex: `groups` products of [rows, depth] and [depth, columns].
struct TileProduct {
  std::uint64_t groups, rows, depth, columns;
};

/// Matrix unit, operands in groups of `depthGroup` and `columnGroup` channels.
std::uint64_t convPartial1x1Cycles(const poplar::Target &target, const TileProduct &work, bool isFloat,
                                   bool floatPartials, std::uint64_t depthGroup, std::uint64_t columnGroup);

/// Dot products on the vector unit.
std::uint64_t horizontalMacCycles(const poplar::Target &target, const TileProduct &work, bool isFloat);

/// Sum of `partials` vectors of `size` elements.
std::uint64_t reduceAddCycles(const poplar::Target &target, std::uint64_t size, std::uint64_t partials, bool floatPartials,
                              bool floatOut);

poputil::internal::Estimators estimators();

} // namespace poplin::internal
