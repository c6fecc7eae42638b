// How the elements that a tile holds contribute to a reduction.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// A regular part of a reduction: consecutive elements [begin, end) of the ordered input that belong to outputs
/// [output, output + outerOut * innerOut), with the strides of the codelet ReduceRegion.
struct ReduceBox {
  std::size_t begin, end, output;
  std::size_t outerOut, innerOut, outerIn, innerIn;
  std::size_t strideI, strideJ, strideK, strideL;
  std::size_t outputs() const { return outerOut * innerOut; }
  std::size_t partials() const { return outerIn * innerIn; }
};

/// A reduction in the order of memory: elements of the input that follow each other there follow each other here.
class ReduceOrder {
public:
  /// `reduced` says of each dimension whether it is reduced.
  ReduceOrder(const poplar::Tensor &in, const std::vector<bool> &reduced);

  /// The input and the output (of the shape of the other dimensions), flattened in this order.
  poplar::Tensor orderedInput(const poplar::Tensor &in) const;
  poplar::Tensor orderedOutput(const poplar::Tensor &out) const;
  std::size_t numOutputs() const;

  /// Cuts elements of the ordered input into boxes.
  std::vector<ReduceBox> boxesOf(const std::vector<poplar::Interval> &intervals) const;

private:
  struct Dimension {
    std::size_t size;
    bool isReduced;
  };
  std::size_t sizeFrom(std::size_t dimension) const;
  std::size_t outputOf(std::size_t element) const;
  ReduceBox box(std::size_t begin, std::size_t planes, std::size_t rows, std::size_t columns) const;
  void cutBlock(std::size_t begin, std::size_t end, std::vector<ReduceBox> &boxes) const;
  void cutPlane(std::size_t begin, std::size_t end, std::vector<ReduceBox> &boxes) const;

  std::vector<unsigned> inputOrder_;
  std::vector<unsigned> outputOrder_;
  std::vector<Dimension> dimensions_; // kinds alternate; at least three
};

} // namespace popops
