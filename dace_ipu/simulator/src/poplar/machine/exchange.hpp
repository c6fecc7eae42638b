// What an exchange phase costs: which bytes cross between tiles before or after a step.
#pragma once

#include "../core/variable.hpp"
#include "../core/view.hpp"
#include "links.hpp"
#include "machine.hpp"
#include "pair_traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dace_ipu_sim {

/// Traffic of one tile.
struct TileTraffic {
  std::uint64_t received = 0;  // bytes
  std::uint64_t sent = 0;      // bytes; what several tiles receive is sent once
  std::uint64_t fragments = 0; // contiguous received pieces
  std::uint64_t shared = 0;    // of the received bytes: the other tile of the pair receives the same
  std::uint64_t packets = 0;   // from or to the host
};

struct ExchangeCost {
  std::uint64_t cycles = 0; // within the IPUs, then between them
  std::uint64_t bytes = 0;  // received by all tiles
  std::uint64_t globalCycles = 0;
  std::uint64_t globalBytes = 0;
  std::uint64_t fragments = 0;
  std::vector<TileTraffic> tiles;
  std::size_t numPairs = 0;    // of tiles, and those with the most bytes: only if asked for
  std::vector<TilePair> pairs; // of tiles

  bool happens() const { return cycles > 0; }
};

/// What lies on the tile already of the elements of an edge, run by run. Pieces that follow one another in the memory
/// of the tile count as one, even if they do not in the variable: rows of a block, for instance.
class LocalShare {
public:
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t pieces() const { return pieces_; }           // contiguous, on the tile
  std::uint64_t otherPieces() const { return otherPieces_; } // contiguous, elsewhere
  /// Whether the pieces on the tile are words of 8 bytes.
  bool areWords() const { return areWords_; }
  void addOther(std::uint64_t pieces);
  /// `count` elements of a variable from `at` in the memory of the tile.
  void add(const Variable *var, std::size_t at, std::size_t count, std::size_t elementBytes);
  /// As many pieces as elements.
  void addSingles(std::size_t count, std::size_t elementBytes);

private:
  std::uint64_t bytes_ = 0, pieces_ = 0, otherPieces_ = 0;
  bool areWords_ = true;
  const Variable *last_ = nullptr;
  std::size_t lastEnd_ = 0;
};

/// Collects the transfers of one phase. All tiles count what they receive; a range that the same tile needs several
/// times counts once.
class ExchangePhase {
public:
  /// `listedPairs`: how many pairs of tiles the cost is to name.
  explicit ExchangePhase(const Machine &machine, std::size_t listedPairs = 0);

  /// `tile` needs elements of a variable wherever they are.
  void need(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share);
  /// `tile` produces elements that may live elsewhere.
  void deliver(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share);
  /// Elements that travel between their tiles and the host: they use the receiver or sender of the tile only.
  void host(const Run &run, std::size_t elementBytes, bool toDevice);
  /// A contiguous range that goes from its tile to another as one fragment; what several receive is sent once.
  void send(const Variable *var, std::size_t begin, std::size_t end, unsigned from, unsigned to,
            std::size_t elementBytes);
  /// Bytes that go from one tile to another as one fragment.
  void transfer(unsigned from, unsigned to, std::uint64_t bytes);

  /// Time within an IPU = fixed + max over tiles of max(received / rate, 3 * fragments, sent / rate), where bytes that
  /// both tiles of a pair receive count half, as they come over both buses at once. Between IPUs: see links.hpp.
  /// Nothing to exchange costs nothing.
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
  template <typename F>
  void forPieces(unsigned tile, const Run &run, std::size_t elementBytes, LocalShare &share, F &&f);
  void mergePerTile();
  void settle(const Need *begin, const Need *end);
  void settleMany(const Need *begin, const Need *end);
  void crossLinks(const Need *begin, const Need *end);
  void countPairs(const Need *begin, const Need *end);
  void chargeSenders();
  std::uint64_t tileCycles(const TileTraffic &t) const;
  void strided(unsigned tile, const Run &run, std::size_t elementBytes, bool incoming, LocalShare &share);

  const Machine &machine_;
  std::vector<TileTraffic> tiles_;
  LinkTraffic links_;
  PairTraffic pairs_;
  std::vector<Need> needs_;
  std::vector<Sent> sent_;
  std::vector<std::uint64_t> ownBytes_; // scratch, by tile
  std::vector<std::uint64_t> ownFragments_;
  bool any_ = false;
};

} // namespace dace_ipu_sim
