// What an exchange phase costs: which bytes cross between tiles before or after a step.
#pragma once

#include "../core/variable.hpp"
#include "../core/view.hpp"
#include "machine.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Traffic of one tile.
struct TileTraffic {
  std::uint64_t received = 0;  // bytes
  std::uint64_t sent = 0;      // bytes; what several tiles receive is sent once
  std::uint64_t fragments = 0; // contiguous received pieces
};

struct ExchangeCost {
  std::uint64_t cycles = 0;
  std::uint64_t bytes = 0; // received by all tiles
  std::vector<TileTraffic> tiles;
};

/// Collects the transfers of one phase. All tiles count what they receive; a range that the same tile needs several
/// times counts once.
class ExchangePhase {
public:
  explicit ExchangePhase(const Machine &machine);

  /// `tile` needs elements of a variable wherever they are. Returns the bytes that are on the tile already.
  std::uint64_t need(unsigned tile, const Run &run, std::size_t elementBytes);
  /// `tile` produces elements that live elsewhere. Returns the bytes that stay on the tile.
  std::uint64_t deliver(unsigned tile, const Run &run, std::size_t elementBytes);
  /// Elements that travel between their tiles and the host: they use the receiver or sender of the tile only.
  void host(const Run &run, std::size_t elementBytes, bool toDevice);
  /// Bytes that go from one tile to another as one fragment.
  void transfer(unsigned from, unsigned to, std::uint64_t bytes);

  /// Time = fixed + max over tiles of max(received / rate, 3 * fragments, sent / rate); 0 if nothing crosses.
  /// Source: the geometry and latency figures of published reverse engineering, see targets.cpp.
  ExchangeCost finish();

private:
  struct Need {
    const Variable *var;
    std::size_t begin;
    std::size_t end;
    unsigned tile;
    std::uint32_t elementBytes;
  };
  struct Sent {
    const Variable *var;
    std::size_t begin;
    std::size_t end;
    unsigned tile;
    std::uint32_t elementBytes;
  };
  void mergePerTile();
  void settle(const Need *begin, const Need *end);
  void settleMany(const Need *begin, const Need *end);
  void chargeSenders();
  std::uint64_t strided(unsigned tile, const Run &run, std::size_t elementBytes, bool incoming);

  const Machine &machine_;
  std::vector<TileTraffic> tiles_;
  std::vector<Need> needs_;
  std::vector<Sent> sent_;
  std::vector<std::uint64_t> ownBytes_; // scratch, by tile
  std::vector<std::uint64_t> ownFragments_;
  bool any_ = false;
};

} // namespace dace_ipu_sim
