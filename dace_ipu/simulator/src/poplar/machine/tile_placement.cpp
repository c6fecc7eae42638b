#include "tile_placement.hpp"

#include <algorithm>
#include <utility>

namespace dace_ipu_sim {

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t(0);

std::uint64_t aligned(std::uint64_t n) { return (n + 7) / 8 * 8; }

} // namespace

void TilePlacement::addAlways(std::uint64_t bytes, bool interleaved) { (interleaved ? fast_ : plain_) += aligned(bytes); }

void TilePlacement::occupy(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t region1 = machine_.interleavedOffset;
  const auto within = [&](std::uint64_t low, std::uint64_t high) {
    const std::uint64_t b = std::max(begin, low), e = std::min(end, high);
    return e > b ? e - b : 0;
  };
  layout_.nonInterleaved += within(0, region1);
  layout_.interleaved += within(region1, unlimited);
  layout_.end = std::max(layout_.end, end);
}

// First fit. The last hole is endless, so that there always is one.
std::uint64_t TilePlacement::take(std::uint64_t bytes, bool interleaved) {
  const std::uint64_t low = interleaved ? machine_.interleavedOffset : 0;
  for (std::size_t i = 0;; ++i) {
    Hole &h = holes_[i];
    const std::uint64_t at = std::max(h.begin, low);
    if (h.end < at || h.end - at < bytes)
      continue;
    const Hole before{h.begin, at}, after{at + bytes, h.end};
    h = after;
    if (before.begin < before.end)
      holes_.insert(holes_.begin() + static_cast<std::ptrdiff_t>(i), before);
    else if (after.begin == after.end)
      holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(i));
    return at;
  }
}

void TilePlacement::give(std::uint64_t begin, std::uint64_t bytes) {
  const auto next = std::partition_point(holes_.begin(), holes_.end(), [&](const Hole &h) { return h.begin < begin; });
  auto at = holes_.insert(next, {begin, begin + bytes});
  if (at + 1 != holes_.end() && at->end == (at + 1)->begin) {
    at->end = (at + 1)->end;
    holes_.erase(at + 1);
  }
  if (at != holes_.begin() && (at - 1)->end == at->begin) {
    (at - 1)->end = at->end;
    holes_.erase(at);
  }
}

void TilePlacement::placeItems() {
  std::stable_sort(items_.begin(), items_.end(), [](const MemoryItem &a, const MemoryItem &b) {
    return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
  });
  struct Placed {
    unsigned last;
    std::uint64_t begin, bytes;
    bool isVariable;
  };
  const std::uint64_t region1 = machine_.interleavedOffset;
  const auto later = [](const Placed &a, const Placed &b) { return a.last > b.last; };
  std::vector<Placed> live; // a heap, the first to end on top
  std::uint64_t bytes = 0, high = 0, variables = 0, highAtPeak = 0;
  const auto count = [&](const Placed &p, bool begins) {
    const auto add = [&](std::uint64_t &sum, bool counts) { sum += !counts ? 0 : begins ? p.bytes : -p.bytes; };
    add(bytes, true);
    add(high, p.begin >= region1);
    add(variables, p.isVariable);
  };
  for (const MemoryItem &item : items_) {
    while (!live.empty() && live.front().last < item.first) {
      std::pop_heap(live.begin(), live.end(), later);
      give(live.back().begin, live.back().bytes);
      count(live.back(), false);
      live.pop_back();
    }
    const std::uint64_t size = aligned(item.bytes);
    live.push_back({item.last, take(size, item.interleaved), size, item.isVariable});
    count(live.back(), true);
    layout_.end = std::max(layout_.end, live.back().begin + size);
    std::push_heap(live.begin(), live.end(), later);
    if (bytes <= layout_.peak)
      continue;
    layout_.peak = bytes;
    layout_.peakVariables = variables;
    highAtPeak = high;
  }
  layout_.interleaved += highAtPeak;
  layout_.nonInterleaved += layout_.peak - highAtPeak;
}

TileLayout TilePlacement::finish() {
  const std::uint64_t region1 = machine_.interleavedOffset;
  holes_ = {{0, unlimited}};
  code_ = aligned(code_);
  const std::uint64_t codeAt = take(code_, false);
  occupy(codeAt, codeAt + code_);
  if (fast_ > 0) {
    const std::uint64_t at = take(fast_, true);
    occupy(at, at + fast_);
  }
  // Data need not lie in one piece: each variable is placed alone, and together they fill the holes from below.
  while (plain_ > 0) {
    const std::uint64_t room = holes_.front().end - holes_.front().begin;
    const std::uint64_t part = std::min(plain_, room), at = take(part, false);
    occupy(at, at + part);
    plain_ -= part;
  }
  placeItems();
  const auto beyond = [](std::uint64_t n, std::uint64_t limit) { return n > limit ? n - limit : 0; };
  layout_.overflowed = std::max(beyond(layout_.end, machine_.usableBytes()), beyond(code_, region1));
  return layout_;
}

} // namespace dace_ipu_sim
