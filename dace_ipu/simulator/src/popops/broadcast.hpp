// How the elements on a tile read an operand that is repeated along some dimensions.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// A vector that is repeated to the shape of an output: element i of the output, in row-major order, reads element
/// (i / repeat) % base.numElements() of `base`.
struct RepeatedVector {
  poplar::Tensor base; ///< one dimension; not valid if the operand is no repeated vector
  std::size_t repeat = 1;
};

/// What `operand` repeats; it has the output's shape, or fewer dimensions or dimensions of size 1.
RepeatedVector repeatedVector(const poplar::Graph &graph, const poplar::Tensor &operand,
                              const std::vector<std::size_t> &shape);

/// How a region of the output reads the vector.
struct Reading {
  enum Kind {
    Other,
    One,   ///< a single element
    Rows,  ///< `repeat` elements of the output for each element of the vector
    Blocks ///< the vector again and again
  } kind = Other;
  poplar::Interval of; ///< elements of the vector
  std::size_t repeat = 1;
};

/// Sizes of the region's intervals do not matter, only their number: nothing is done for each element.
Reading readingOf(const RepeatedVector &vector, const std::vector<poplar::Interval> &region);

} // namespace popops
