// Vertices that compute every element of a tensor from the elements of others.
#pragma once

#include <poplar/Graph.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace popops {

/// An operand of the shape of the output, or of one element. The field is called in1, in2, ... by its place.
using Operands = std::vector<poplar::Tensor>;
using FieldValues = std::vector<std::pair<const char *, unsigned>>;

/// Adds a vertex to every tile that holds elements of `out`: with a row of in1, ..., and out for each region that is
/// contiguous there, step1, ... if `hasSteps` (false for an operand of one element), and the given plain fields. An
/// operand that is a constant of one element is put on every tile.
void addElementVertices(poplar::Graph &graph, poplar::ComputeSet cs, const std::string &vertex,
                        const Operands &operands, const poplar::Tensor &out, bool hasSteps, const FieldValues &values);

/// The same operands, without those that overlap with `out` otherwise than element by element: these are copied, because
/// the output would overwrite what is still to be read.
Operands withoutOverlap(poplar::Graph &graph, const Operands &operands, const poplar::Tensor &out,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace popops
