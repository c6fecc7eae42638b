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

/// The same for blocks of long rows.
class RowSearch {
public:
  explicit RowSearch(const std::vector<std::int64_t> &extents) : extents(extents) {}

  std::vector<std::int64_t> best(std::int64_t room) {
    std::vector<std::int64_t> parts;
    visit(parts, room);
    return {key.rbegin(), key.rend() - 2};
  }

private:
  void visit(std::vector<std::int64_t> &parts, std::int64_t room) {
    const std::size_t d = parts.size();
    if (d == extents.size()) {
      offer(parts);
      return;
    }
    const bool isLast = d + 1 == extents.size();
    if (isLast)
      room = std::min(room, ceil_div(extents[d], Blocks::workersPerTile));
    const std::int64_t most = ceil_div(extents[d], ceil_div(extents[d], room));
    for (std::int64_t p = isLast ? most : 1; p <= most; p = next(d, p)) {
      parts.push_back(p);
      visit(parts, room / p);
      parts.pop_back();
    }
  }

  /// The least number of parts that makes them smaller.
  std::int64_t next(std::size_t d, std::int64_t p) const {
    const std::int64_t size = ceil_div(extents[d], p);
    return size == 1 ? p + extents[d] : ceil_div(extents[d], size - 1);
  }

  void offer(const std::vector<std::int64_t> &parts) {
    std::vector<std::int64_t> candidate = {cycles(parts), 1};
    for (std::int64_t p : parts)
      candidate[1] *= p;
    candidate.insert(candidate.end(), parts.rbegin(), parts.rend());
    if (key.empty() || candidate < key)
      key = candidate;
  }

  std::int64_t cycles(const std::vector<std::int64_t> &parts) const {
    const std::size_t last = extents.size() - 1;
    const std::int64_t length = ceil_div(extents[last], parts[last]);
    std::int64_t rows = 1, beside = 0;
    for (std::size_t d = 0; d < last; ++d)
      rows *= ceil_div(extents[d], parts[d]);
    for (std::size_t d = 0; d < last; ++d)
      beside += 2 * (rows / ceil_div(extents[d], parts[d])) * (length + 3);
    return rows * (60 * ceil_div(length, Blocks::workersPerTile) + length / 2 + 92) + beside;
  }

  const std::vector<std::int64_t> &extents;
  std::vector<std::int64_t> key;
};

} // namespace

Blocks::Blocks(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}

Blocks::Blocks(std::vector<std::int64_t> extents, std::int64_t tiles, std::int64_t workers)
    : Blocks(std::move(extents)) {
  if (!isEmpty(tiles))
    cut(grid(tiles, workers));
}

Blocks Blocks::ofRows(std::vector<std::int64_t> extents, std::int64_t tiles) {
  Blocks blocks(std::move(extents));
  if (!blocks.isEmpty(tiles))
    blocks.cut(RowSearch(blocks.extents_).best(tiles));
  return blocks;
}

bool Blocks::isEmpty(std::int64_t tiles) const {
  if (tiles < 1)
    throw std::invalid_argument("a machine without tiles");
  for (std::int64_t extent : extents_)
    if (extent <= 0)
      return true;
  checked_product("the iterations of a map", mostIterations, extents_);
  return false;
}

void Blocks::cut(std::vector<std::int64_t> parts) {
  parts_ = std::move(parts);
  size_ = 1;
  for (std::int64_t p : parts_)
    size_ *= p;
}

std::int64_t Blocks::iterations() const {
  std::int64_t total = 1;
  for (std::int64_t extent : extents_)
    total *= extent;
  return total;
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
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    if (extents_[d] == 1 || divided.size() == 3)
      continue;
    divided.push_back(d);
    divisible.push_back(extents_[d]);
    sharing.push_back(d == 0 ? workers : 1);
  }
  std::vector<std::int64_t> parts(extents_.size(), 1);
  const std::int64_t room = std::min(tiles, ceil_div(iterations(), workers));
  const std::vector<std::int64_t> best = GridSearch(divisible, sharing).best(room);
  for (std::size_t i = 0; i < divided.size(); ++i)
    parts[divided[i]] = best[i];
  return parts;
}

} // namespace dace_ipu
