// Operations on the factor lists of leaves.
#pragma once

#include "view.hpp"

namespace dace_ipu_sim {

/// The factors of one dimension, outermost first.
using Factors = std::vector<Factor>;

std::size_t countOf(const Factor *begin, const Factor *end);
Factors factorsOf(const View &leaf, unsigned dim);
/// Drops factors of 1 and joins neighbours that step evenly.
void normalise(Factors &factors);
/// A leaf with the factors of one dimension replaced and its offset set.
ViewPtr withFactors(const View &leaf, unsigned dim, const Factors &factors, std::size_t offset);
ViewPtr makeLeaf(const Variable *var, std::size_t offset, const Shape &shape, const std::vector<Factors> &dims);
ViewPtr makeEmpty(const Shape &shape);

/// A piece of a dimension after slicing: where it starts and its factors.
struct LeafPiece {
  std::size_t offset;
  Factors factors;
};
/// Elements [begin, end) of a dimension with the given factors: at most 2 * factors - 1 pieces.
void slicePieces(const Factor *f, std::size_t n, std::size_t offset, std::size_t begin, std::size_t end,
                 std::vector<LeafPiece> &out);
/// Offset of position `i` within a dimension.
std::ptrdiff_t offsetAt(const Factor *f, std::size_t n, std::size_t i);
/// The leaf with another shape, or null if its factors do not divide into it.
ViewPtr reshapeLeaf(const View &leaf, const Shape &shape);
/// All factors in row-major order, normalised over dimensions.
Factors flatFactors(const View &leaf);

} // namespace dace_ipu_sim
