#include "reduce_boxes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace popops {

using poplar::Interval;
using poplar::Tensor;

namespace {

// Distance in memory of neighbours along a dimension, from the first element. Different variables and aliases count as
// far: nothing is gained by keeping them together.
std::size_t strideOf(const Tensor &t, unsigned dimension) {
  constexpr std::size_t far = std::numeric_limits<std::size_t>::max();
  if (t.dim(dimension) < 2)
    return far;
  std::vector<std::size_t> begin(t.rank(), 0), end(t.rank(), 1);
  const auto first = t.slice(begin, end).flatten().getVarRegions();
  ++begin[dimension];
  ++end[dimension];
  const auto next = t.slice(begin, end).flatten().getVarRegions();
  if (first[0].var != next[0].var || first[0].interval.begin() == next[0].interval.begin())
    return far;
  const std::size_t a = first[0].interval.begin(), b = next[0].interval.begin();
  return std::max(a, b) - std::min(a, b);
}

} // namespace

ReduceOrder::ReduceOrder(const Tensor &in, const std::vector<bool> &reduced) {
  std::vector<std::size_t> strides;
  for (unsigned d = 0; d < in.rank(); ++d)
    strides.push_back(strideOf(in, d));
  inputOrder_.resize(in.rank());
  std::iota(inputOrder_.begin(), inputOrder_.end(), 0u);
  std::stable_sort(inputOrder_.begin(), inputOrder_.end(),
                   [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  for (const unsigned d : inputOrder_) {
    if (!reduced[d])
      outputOrder_.push_back(static_cast<unsigned>(std::count(reduced.begin(), reduced.begin() + d, false)));
    if (!dimensions_.empty() && dimensions_.back().isReduced == reduced[d])
      dimensions_.back().size *= in.dim(d);
    else
      dimensions_.push_back({in.dim(d), reduced[d]});
  }
  if (dimensions_.empty())
    dimensions_.push_back({1, true});
  while (dimensions_.size() < 3)
    dimensions_.insert(dimensions_.begin(), {1, !dimensions_.front().isReduced});
}

Tensor ReduceOrder::orderedInput(const Tensor &in) const { return in.dimShuffle(inputOrder_).flatten(); }
Tensor ReduceOrder::orderedOutput(const Tensor &out) const { return out.dimShuffle(outputOrder_).flatten(); }

std::size_t ReduceOrder::numOutputs() const {
  std::size_t n = 1;
  for (const Dimension &d : dimensions_)
    n *= d.isReduced ? 1 : d.size;
  return n;
}

std::size_t ReduceOrder::sizeFrom(std::size_t dimension) const {
  std::size_t size = 1;
  for (; dimension < dimensions_.size(); ++dimension)
    size *= dimensions_[dimension].size;
  return size;
}

std::size_t ReduceOrder::outputOf(std::size_t element) const {
  std::size_t output = 0, scale = 1;
  for (std::size_t d = dimensions_.size(); d-- > 0; element /= dimensions_[d].size)
    if (!dimensions_[d].isReduced) {
      output += element % dimensions_[d].size * scale;
      scale *= dimensions_[d].size;
    }
  return output;
}

// Planes of rows of columns, the last three dimensions: the outer and the inner one are of one kind.
ReduceBox ReduceOrder::box(std::size_t begin, std::size_t planes, std::size_t rows, std::size_t columns) const {
  const std::size_t row = sizeFrom(dimensions_.size() - 1), plane = sizeFrom(dimensions_.size() - 2);
  const std::size_t end = begin + (planes - 1) * plane + (rows - 1) * row + columns;
  if (dimensions_.back().isReduced)
    return {begin, end, outputOf(begin), 1, rows, planes, columns, 0, row, plane, 1};
  return {begin, end, outputOf(begin), planes, columns, 1, rows, plane, 1, 0, row};
}

void ReduceOrder::cutPlane(std::size_t begin, std::size_t end, std::vector<ReduceBox> &boxes) const {
  const std::size_t row = sizeFrom(dimensions_.size() - 1);
  const std::size_t firstFull = (begin + row - 1) / row * row, lastFull = end / row * row;
  if (firstFull > lastFull || firstFull == lastFull + row) { // within one row
    boxes.push_back(box(begin, 1, 1, end - begin));
    return;
  }
  if (begin < firstFull)
    boxes.push_back(box(begin, 1, 1, firstFull - begin));
  if (firstFull < lastFull)
    boxes.push_back(box(firstFull, 1, (lastFull - firstFull) / row, row));
  if (lastFull < end)
    boxes.push_back(box(lastFull, 1, 1, end - lastFull));
}

void ReduceOrder::cutBlock(std::size_t begin, std::size_t end, std::vector<ReduceBox> &boxes) const {
  const std::size_t row = sizeFrom(dimensions_.size() - 1), plane = sizeFrom(dimensions_.size() - 2);
  const std::size_t firstFull = (begin + plane - 1) / plane * plane, lastFull = end / plane * plane;
  if (firstFull >= lastFull) { // no full plane
    if (begin < std::min(firstFull, end))
      cutPlane(begin, std::min(firstFull, end), boxes);
    if (firstFull < end)
      cutPlane(firstFull, end, boxes);
    return;
  }
  if (begin < firstFull)
    cutPlane(begin, firstFull, boxes);
  boxes.push_back(box(firstFull, (lastFull - firstFull) / plane, plane / row, row));
  if (lastFull < end)
    cutPlane(lastFull, end, boxes);
}

std::vector<ReduceBox> ReduceOrder::boxesOf(const std::vector<Interval> &intervals) const {
  const std::size_t block = sizeFrom(dimensions_.size() - 3);
  std::vector<ReduceBox> boxes;
  for (const Interval &i : intervals)
    for (std::size_t begin = i.begin(); begin < i.end();) {
      const std::size_t end = std::min(i.end(), (begin / block + 1) * block);
      cutBlock(begin, end, boxes);
      begin = end;
    }
  return boxes;
}

} // namespace popops
