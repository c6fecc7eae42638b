// Vertices that compute every element of a tensor from the elements of others.
#pragma once

#include <poplar/Graph.hpp>
#include <popops/ExprOp.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace popops {

/// An operand of the shape of the output, or of one element. The field is called in1, in2, ... by its place.
using Operands = std::vector<poplar::Tensor>;
using Scalars = std::vector<std::pair<const char *, poplar::Tensor>>;
using FieldValues = std::vector<std::pair<const char *, unsigned>>;
/// Pieces of a tensor that are contiguous in memory, each of several intervals.
using Regions = std::vector<std::vector<poplar::Interval>>;

/// An operand on a tile: a row for each region, or with `hasStep` false one element for each region or for all.
struct TileOperand {
  std::vector<poplar::Tensor> rows;
  bool hasStep;
};

/// Adds a vertex to every tile that holds elements of `out`: with a row of in1, ..., and out for each region that is
/// contiguous there, step1, ... if `hasSteps` (false for an operand of one element), fields that are one element, and
/// the given plain fields. Constants of one element are put on every tile.
void addElementVertices(poplar::Graph &graph, poplar::ComputeSet cs, const std::string &vertex,
                        const Operands &operands, const poplar::Tensor &out, bool hasSteps, const FieldValues &values,
                        const Scalars &scalars = {});

/// Adds a vertex for the regions of one tile.
void addVertexOnTile(poplar::Graph &graph, poplar::ComputeSet cs, const std::string &vertex,
                     const std::vector<TileOperand> &operands, const poplar::Tensor &flatOut, const Regions &regions,
                     unsigned tile, const FieldValues &values, const Scalars &scalars, bool hasSteps = true);
/// A row for each region.
std::vector<poplar::Tensor> rowsOf(const poplar::Tensor &flat, const Regions &regions);

/// The vertices of an operation: `general`, or such that read one of the `operands`, which are not broadcast, as a
/// repeated vector. `full` are the same operands, broadcast to the shape of the output or of one element.
void addBinaryVertices(poplar::Graph &graph, poplar::ComputeSet cs, expr::BinaryOpType op, const std::string &general,
                       const Operands &operands, const Operands &full, const poplar::Tensor &out,
                       const FieldValues &values);

/// The same operands, without those that overlap with `out` otherwise than element by element: these are copied,
/// because the output would overwrite what is still to be read.
Operands withoutOverlap(poplar::Graph &graph, const Operands &operands, const poplar::Tensor &out,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace popops
