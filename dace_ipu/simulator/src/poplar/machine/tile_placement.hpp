// Where things lie in the memory of one tile.
#pragma once

#include "machine.hpp"

#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Something that takes memory from leaf program `first` to `last`.
struct MemoryItem {
  std::uint64_t bytes;
  unsigned first;
  unsigned last;
  bool interleaved; // must lie in region 1
  bool isVariable;
};

struct TileLayout {
  std::uint64_t end = 0; // bytes from the start of the memory to the last byte that something occupies: with gaps
  std::uint64_t nonInterleaved = 0; // bytes in region 0, short-lived ones at their peak
  std::uint64_t interleaved = 0;    // and in region 1
  std::uint64_t overflowed = 0;     // beyond the usable end, or code beyond region 0
  std::uint64_t peak = 0;           // most bytes of short-lived items at one time
  std::uint64_t peakVariables = 0;  // those of them that are variables
};

/// Lays a tile out. Code goes first, as it may only lie in region 0 (not interleaved). Then come the always live data, those
/// that need interleaved memory from the start of region 1 and others below and above them. Short-lived items share
/// what is left, first fit in the order in which they begin. Everything is aligned to 8 bytes; code that does not fit
/// into region 0 overflows. Source of the rules: the memory map in targets.cpp.
class TilePlacement {
public:
  explicit TilePlacement(const Machine &machine) : machine_(machine) {}
  void addCode(std::uint64_t bytes) { code_ += bytes; }
  void addAlways(std::uint64_t bytes, bool interleaved);
  void addItem(const MemoryItem &item) { items_.push_back(item); }
  TileLayout finish();

private:
  struct Hole {
    std::uint64_t begin, end;
  };
  std::uint64_t take(std::uint64_t bytes, bool interleaved);
  void give(std::uint64_t begin, std::uint64_t bytes);
  void occupy(std::uint64_t begin, std::uint64_t end);
  void placeItems();

  const Machine &machine_;
  std::uint64_t code_ = 0, plain_ = 0, fast_ = 0;
  std::vector<MemoryItem> items_;
  std::vector<Hole> holes_; // sorted; the last one has no end
  TileLayout layout_;
};

} // namespace dace_ipu_sim
