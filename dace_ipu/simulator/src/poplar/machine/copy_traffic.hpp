// Which bytes of a copy cross between tiles, and which stay.
#pragma once

#include "exchange.hpp"

namespace dace_ipu_sim {

/// Pairs the elements of source and destination, in order, with the tiles they live on.
class CopyTraffic {
public:
  /// `listedPairs`: see ExchangePhase.
  CopyTraffic(const Machine &machine, std::size_t elementBytes, std::size_t listedPairs);
  void addViews(const View &src, const View &dst);
  ExchangePhase &phase() { return phase_; }
  /// Bytes copied on each tile itself.
  const std::vector<std::uint64_t> &localBytes() const { return localBytes_; }
  /// What that takes on one tile.
  std::uint64_t localCycles(unsigned tile) const;

private:
  /// An element of a variable in the memory of its tile.
  struct Place {
    const Variable *var = nullptr;
    std::size_t at = 0;
    friend bool operator==(const Place &a, const Place &b) { return a.var == b.var && a.at == b.at; }
  };
  /// Where the last piece that was copied on a tile ended.
  struct Last {
    Place src, dst;
  };
  void moveLocally(unsigned tile, std::uint64_t bytes, const Place &src, const Place &dst);
  void addPair(const Run &src, const Run &dst);
  void addContiguous(const Run &src, const Run &dst);
  void addFill(const Run &src, const Run &dst);
  void addElements(const Run &src, const Run &dst);
  void move(unsigned from, unsigned to, std::uint64_t bytes);

  const Machine &machine_;
  std::size_t elementBytes_;
  ExchangePhase phase_;
  std::vector<std::uint64_t> localBytes_;
  std::vector<std::uint64_t> localPieces_;
  std::vector<bool> areWords_; // by tile, its pieces
  std::vector<Last> last_;
};

} // namespace dace_ipu_sim
