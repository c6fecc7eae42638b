#include <dace_ipu/blocks.hpp>
#include <dace_ipu/integers.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dace_ipu {

namespace {

/// Finds the grid of least (cost, blocks, parts of the last dimension, ..., parts of the first).
class GridSearch {
public:
  /// `workers[d]` of a tile share dimension d of `extents[d]` iterations.
  GridSearch(std::vector<std::int64_t> extents, std::vector<std::int64_t> workers)
      : extents(std::move(extents)), workers(std::move(workers)) {}

  /// The parts of each dimension; their product is at most `room`.
  std::vector<std::int64_t> best(std::int64_t room) {
    std::vector<std::int64_t> parts;
    visit(parts, 1, 1, room);
    return {key.rbegin(), key.rend() - 2};
  }

private:
  std::int64_t cost(std::size_t d, std::int64_t parts) const { return ceil_div(extents[d], workers[d] * parts); }

  /// The least number of parts of dimension d with this cost.
  std::int64_t partsFor(std::size_t d, std::int64_t cost) const { return ceil_div(extents[d], workers[d] * cost); }

  void visit(std::vector<std::int64_t> &parts, std::int64_t costSoFar, std::int64_t blocks, std::int64_t room) {
    const std::size_t d = parts.size();
    if (d == extents.size()) {
      offer(parts, costSoFar, blocks);
      return;
    }
    if (!key.empty() && costSoFar * leastCostOfRest(d, room) > key[0])
      return;
    if (d + 1 == extents.size()) {
      descend(parts, costSoFar, blocks, room, partsFor(d, cost(d, room)));
      return;
    }
    for (std::int64_t p = 1; p <= room; p = partsFor(d, cost(d, p) - 1)) {
      descend(parts, costSoFar, blocks, room, p);
      if (cost(d, p) == 1)
        return;
    }
  }

  void descend(std::vector<std::int64_t> &parts, std::int64_t costSoFar, std::int64_t blocks, std::int64_t room,
               std::int64_t p) {
    const std::size_t d = parts.size();
    parts.push_back(p);
    visit(parts, costSoFar * cost(d, p), blocks * p, room / p);
    parts.pop_back();
  }

  std::int64_t leastCostOfRest(std::size_t d, std::int64_t room) const {
    std::int64_t iterations = 1, shares = room;
    for (; d < extents.size(); ++d) {
      iterations *= extents[d];
      shares *= workers[d];
    }
    return ceil_div(iterations, shares);
  }

  void offer(const std::vector<std::int64_t> &parts, std::int64_t totalCost, std::int64_t blocks) {
    std::vector<std::int64_t> candidate = {totalCost, blocks};
    candidate.insert(candidate.end(), parts.rbegin(), parts.rend());
    if (key.empty() || candidate < key)
      key = candidate;
  }

  std::vector<std::int64_t> extents, workers, key;
};

} // namespace

Blocks::Blocks(std::vector<std::int64_t> extents, std::int64_t tiles, std::int64_t workers)
    : extents_(std::move(extents)) {
  if (tiles < 1)
    throw std::invalid_argument("a machine without tiles");
  for (std::int64_t extent : extents_)
    if (extent <= 0)
      return;
  checked_product("the iterations of a map", mostIterations, extents_);
  parts_ = grid(tiles, workers);
  size_ = 1;
  for (std::int64_t p : parts_)
    size_ *= p;
}

Blocks::Blocks(std::initializer_list<std::int64_t> extents, std::int64_t tiles, std::int64_t workers)
    : Blocks(std::vector<std::int64_t>(extents), tiles, workers) {}

std::int64_t Blocks::stride(std::size_t d) const {
  std::int64_t product = 1;
  for (std::size_t inner = d + 1; inner < parts_.size(); ++inner)
    product *= parts_[inner];
  return product;
}

std::int64_t Block::begin(std::size_t d) const { return blocks_->border(d, part(d)); }
std::int64_t Block::end(std::size_t d) const { return blocks_->border(d, part(d) + 1); }
std::int64_t Block::part(std::size_t d) const { return number_ / blocks_->stride(d) % blocks_->parts(d); }

std::vector<std::int64_t> Blocks::grid(std::int64_t tiles, std::int64_t workers) const {
  std::vector<std::size_t> divided;
  std::vector<std::int64_t> divisible, sharing;
  std::int64_t total = 1;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    total *= extents_[d];
    if (extents_[d] == 1 || divided.size() == 3)
      continue;
    divided.push_back(d);
    divisible.push_back(extents_[d]);
    sharing.push_back(d == 0 ? workers : 1);
  }
  std::vector<std::int64_t> parts(extents_.size(), 1);
  const std::int64_t room = std::min(tiles, ceil_div(total, workers));
  const std::vector<std::int64_t> best = GridSearch(divisible, sharing).best(room);
  for (std::size_t i = 0; i < divided.size(); ++i)
    parts[divided[i]] = best[i];
  return parts;
}

} // namespace dace_ipu
