#include "tile_map.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace dace_ipu_sim {

namespace {

void append(std::vector<Region> &out, std::size_t begin, std::size_t end, unsigned tile) {
  if (begin == end)
    return;
  if (!out.empty() && out.back().end == begin && out.back().tile == tile)
    out.back().end = end;
  else
    out.push_back({begin, end, tile});
}

// Sweeps over the log sorted by begin; among the entries that cover a position the one added last wins.
std::vector<Region> paint(const std::vector<Region> &log) {
  std::vector<std::size_t> byBegin(log.size());
  for (std::size_t i = 0; i < log.size(); ++i)
    byBegin[i] = i;
  std::stable_sort(byBegin.begin(), byBegin.end(),
                   [&](std::size_t a, std::size_t b) { return log[a].begin < log[b].begin; });
  std::vector<Region> out;
  std::priority_queue<std::size_t> active;
  std::size_t next = 0;
  std::size_t at = 0;
  while (next < byBegin.size() || !active.empty()) {
    while (!active.empty() && log[active.top()].end <= at)
      active.pop();
    if (active.empty()) {
      if (next == byBegin.size())
        break;
      at = std::max(at, log[byBegin[next]].begin);
    }
    while (next < byBegin.size() && log[byBegin[next]].begin <= at)
      active.push(byBegin[next++]);
    if (active.empty())
      continue;
    const Region &top = log[active.top()];
    const std::size_t stop = next < byBegin.size() ? std::min(top.end, log[byBegin[next]].begin) : top.end;
    if (stop > at)
      append(out, at, stop, top.tile);
    at = std::max(at, stop);
  }
  return out;
}

} // namespace

void TileMap::assign(std::size_t begin, std::size_t end, unsigned tile) {
  if (begin >= end)
    return;
  localOffsets_.clear();
  if (pending_.empty() && (sorted_.empty() || begin >= sorted_.back().end))
    append(sorted_, begin, end, tile);
  else
    pending_.push_back({begin, end, tile});
}

const std::vector<Region> &TileMap::regions() const {
  if (!pending_.empty())
    resolve();
  return sorted_;
}

const std::vector<std::size_t> &TileMap::localOffsets() const {
  const std::vector<Region> &all = regions();
  if (!localOffsets_.empty())
    return localOffsets_;
  std::unordered_map<unsigned, std::size_t> next;
  localOffsets_.reserve(all.size());
  for (const Region &r : all) {
    std::size_t &at = next[r.tile];
    localOffsets_.push_back(at);
    at += r.end - r.begin;
  }
  return localOffsets_;
}

void TileMap::resolve() const {
  sorted_.insert(sorted_.end(), pending_.begin(), pending_.end());
  pending_.clear();
  sorted_ = paint(sorted_);
}

} // namespace dace_ipu_sim
