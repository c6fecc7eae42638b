#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace poputil {

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

namespace {

std::size_t sizeFromBack(const Shape &shape, std::size_t i) { return i < shape.size() ? shape[shape.size() - 1 - i] : 1; }

// The shape that both broadcast to; false if there is none.
bool commonShape(const Shape &a, const Shape &b, Shape &result) {
  result.assign(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t x = sizeFromBack(a, i), y = sizeFromBack(b, i);
    if (x != y && x != 1 && y != 1)
      return false;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return true;
}

Shape commonShape(const Tensor &a, const Tensor &b) {
  Shape shape;
  if (!commonShape(a.shape(), b.shape(), shape))
    throw poplibs_error("broadcastToMatch: shapes " + a.shapeToString() + " and " + b.shapeToString() +
                        " do not broadcast to a common shape");
  return shape;
}

Tensor withRank(const Tensor &t, std::size_t rank) {
  return t.expand(Shape(rank - t.rank(), 0));
}

} // namespace

void expandToMatchRanks(Tensor &a, Tensor &b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  a = withRank(a, rank);
  b = withRank(b, rank);
}

void broadcastToMatch(Tensor &a, const Shape &shape) {
  Shape common;
  if (!commonShape(a.shape(), shape, common) || common != shape)
    throw poplibs_error("broadcastToMatch: shape " + a.shapeToString() + " does not broadcast to the wanted shape");
  a = withRank(a, shape.size());
  for (unsigned d = 0; d < shape.size(); ++d)
    if (a.dim(d) != shape[d])
      a = a.broadcast(static_cast<unsigned>(shape[d]), d);
}

void broadcastToMatch(Tensor &a, Tensor &b) {
  const Shape shape = commonShape(a, b);
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
}

void broadcastToMatch(Tensor &a, Tensor &b, Tensor &c) {
  broadcastToMatch(a, b);
  broadcastToMatch(a, c);
  broadcastToMatch(b, a.shape());
}

bool canBroadcastToMatch(const Tensor &a, const Tensor &b) {
  Shape ignored;
  return commonShape(a.shape(), b.shape(), ignored);
}

} // namespace poputil
