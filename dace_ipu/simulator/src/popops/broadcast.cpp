#include "broadcast.hpp"

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

std::size_t product(const std::vector<std::size_t> &shape, std::size_t begin, std::size_t end) {
  std::size_t n = 1;
  for (std::size_t d = begin; d < end; ++d)
    n *= shape[d];
  return n;
}

Tensor withRank(Tensor t, std::size_t rank) {
  while (t.rank() < rank)
    t = t.expand({0});
  return t;
}

// The part of the vector that an interval reads if each element is read once in a row.
Interval partOf(const Interval &interval, std::size_t size) {
  const std::size_t first = interval.begin() % size;
  if (first + interval.size() <= size)
    return {first, first + interval.size()};
  return first == 0 && interval.size() % size == 0 ? Interval(0, size) : Interval(0, 0);
}

Reading blocks(const std::vector<Interval> &region, std::size_t size) {
  const Interval part = partOf(region[0], size);
  for (const Interval &interval : region)
    if (part.size() == 0 || partOf(interval, size) != part)
      return {};
  if (part.size() == 1)
    return {Reading::One, part, 1};
  const bool isWhole = region.size() == 1 && region[0].size() == part.size(); // the operand itself is in one piece
  return isWhole ? Reading() : Reading{Reading::Blocks, part, 1};
}

// Whole rows, or a part of one row.
bool isRegular(const Interval &interval, std::size_t row) {
  return interval.begin() % row + interval.size() <= row || (interval.begin() % row == 0 && interval.size() % row == 0);
}

Reading rows(const std::vector<Interval> &region, std::size_t size, std::size_t row) {
  const std::size_t columns = std::min(region[0].size(), row), first = region[0].begin() / row % size;
  std::size_t next = first;
  for (const Interval &interval : region) {
    if (!isRegular(interval, row) || std::min(interval.size(), row) != columns || interval.begin() / row % size != next)
      return {};
    next += interval.size() / columns;
  }
  if (next > size)
    return {};
  return {next == first + 1 ? Reading::One : Reading::Rows, Interval(first, next), columns};
}

// Every interval lies in the row of the same element.
bool isOneElement(const std::vector<Interval> &region, std::size_t size, std::size_t row) {
  const std::size_t element = region[0].begin() / row % size;
  return std::all_of(region.begin(), region.end(), [&](const Interval &i) {
    return i.begin() % row + i.size() <= row && i.begin() / row % size == element;
  });
}

} // namespace

RepeatedVector repeatedVector(const Graph &graph, const Tensor &operand, const std::vector<std::size_t> &shape) {
  Tensor t = withRank(operand, shape.size());
  if (t.shape() == shape)
    t = t.containsAliases() ? graph.findUnbroadcastTensor(t) : t;
  std::size_t begin = shape.size(), end = 0;
  bool isRepeated = false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    isRepeated = isRepeated || t.dim(d) != shape[d];
    if (t.dim(d) == 1)
      continue;
    begin = std::min(begin, d);
    end = d + 1;
  }
  if (!isRepeated || end == 0 || product(shape, begin, end) != t.numElements())
    return {};
  return {t.flatten(), product(shape, end, shape.size())};
}

Reading readingOf(const RepeatedVector &vector, const std::vector<Interval> &region) {
  const std::size_t size = vector.base.numElements();
  if (vector.repeat == 1)
    return blocks(region, size);
  if (isOneElement(region, size, vector.repeat)) {
    const std::size_t element = region[0].begin() / vector.repeat % size;
    return {Reading::One, Interval(element, element + 1), 1};
  }
  return rows(region, size, vector.repeat);
}

} // namespace popops
