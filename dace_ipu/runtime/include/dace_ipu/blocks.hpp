// How a domain of iterations is cut into blocks, one a tile. dace_ipu/tile_graph/blocks.py states the rule and its
// reasons; both compute the same.
#ifndef DACE_IPU_BLOCKS_HPP
#define DACE_IPU_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace dace_ipu {

class Block;

/// The blocks of a domain, row-major over a grid; block number b lives on tile b.
class Blocks {
public:
  static constexpr std::int64_t workersPerTile = 6;

  /// Cuts a domain of these extents for a machine of `tiles` tiles, of which each is worth `workers` iterations. There
  /// are no blocks if an extent is not positive. Throws std::invalid_argument if there are no tiles.
  Blocks(std::vector<std::int64_t> extents, std::int64_t tiles, std::int64_t workers = workersPerTile);
  Blocks(std::initializer_list<std::int64_t> extents, std::int64_t tiles, std::int64_t workers = workersPerTile);

  /// Cuts a domain as stencils like it, in blocks of long rows that the workers of a tile share.
  static Blocks ofRows(std::vector<std::int64_t> extents, std::int64_t tiles);

  std::int64_t size() const { return size_; }
  /// The number of parts of dimension d; 0 if there are no blocks.
  std::int64_t parts(std::size_t d) const { return size_ == 0 ? 0 : parts_[d]; }
  std::size_t rank() const { return extents_.size(); }
  std::int64_t extent(std::size_t d) const { return extents_[d]; }
  /// The first iteration of part k of dimension d; for k = parts(d) the extent.
  std::int64_t border(std::size_t d, std::int64_t k) const { return extents_[d] * k / parts_[d]; }
  /// How far apart the numbers of blocks are that differ by one part in dimension d.
  std::int64_t stride(std::size_t d) const;

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

private:
  explicit Blocks(std::vector<std::int64_t> extents);
  bool isEmpty(std::int64_t tiles) const;
  void cut(std::vector<std::int64_t> parts);
  std::int64_t iterations() const;
  std::vector<std::int64_t> grid(std::int64_t tiles, std::int64_t workers) const;

  std::vector<std::int64_t> extents_, parts_;
  std::int64_t size_ = 0;
};

/// One block: iterations begin(d) to, not including, end(d) of each dimension. Valid as long as its Blocks.
class Block {
public:
  Block(const Blocks &blocks, std::int64_t number) : blocks_(&blocks), number_(number) {}

  std::int64_t number() const { return number_; }
  unsigned tile() const { return static_cast<unsigned>(number_); }
  std::int64_t begin(std::size_t d) const;
  std::int64_t end(std::size_t d) const;
  std::int64_t size(std::size_t d) const { return end(d) - begin(d); }

private:
  std::int64_t part(std::size_t d) const;

  const Blocks *blocks_;
  std::int64_t number_;
};

class Blocks::Iterator {
public:
  Iterator(const Blocks &blocks, std::int64_t number) : blocks_(&blocks), number_(number) {}
  Block operator*() const { return Block(*blocks_, number_); }
  Iterator &operator++() {
    ++number_;
    return *this;
  }
  bool operator!=(const Iterator &other) const { return number_ != other.number_; }

private:
  const Blocks *blocks_;
  std::int64_t number_;
};

inline Blocks::Iterator Blocks::begin() const { return Iterator(*this, 0); }
inline Blocks::Iterator Blocks::end() const { return Iterator(*this, size_); }

} // namespace dace_ipu

#endif // DACE_IPU_BLOCKS_HPP
