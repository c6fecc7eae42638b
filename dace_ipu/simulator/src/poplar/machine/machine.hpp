// The figures of a machine. Everything that depends on the kind of IPU is in here.
#pragma once

#include <poplar/TargetType.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dace_ipu_sim {

/// Bandwidth that some flows between IPUs share. A flow is (from, to).
struct LinkConstraint {
  double bitsPerSecond;
  std::vector<std::pair<unsigned, unsigned>> flows;
};

struct Machine {
  std::string arch;       // "ipu1", "ipu2", "ipu21", as popc's -target spells it
  std::string marketName; // "Mk2 GC200"
  poplar::TargetType type = poplar::TargetType::IPU;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 0;
  unsigned workers = 6;
  unsigned bytesPerTile = 0;
  unsigned reservedBytes = 0;     // at the end of the memory, for the loader
  unsigned interleavedOffset = 0; // bytes from the start of tile memory to region 1
  double clock = 0;               // Hz
  unsigned exchangeBytesPerCycle = 4;
  unsigned memcpyBytesPerCycle = 8;
  unsigned convUnitsFp16 = 16;
  unsigned convUnitsFp32 = 16;
  unsigned convCoeffBytesPerCycle = 16;
  unsigned rptCountMax = 4095;
  unsigned minSyncDelay = 0;
  unsigned maxSyncDelay = 126;
  unsigned globalSyncCycles = 600;
  bool supportsQuarter = false;

  // Costs of the model; targets.cpp names the sources.
  unsigned syncCycles = 83;          // of one sync within an IPU
  bool syncsComputeSets = false;     // a compute set begins with a sync, as an exchange does
  unsigned launchCycles = 37;        // of a compute set on a tile, to start its vertices and to wait for them
  unsigned hostSyncs = 3;            // of one copy from or to the host: begin, middle, end
  unsigned exchangeFixedCycles = 82; // of one exchange beyond its bytes
  unsigned fragmentCycles = 3;       // control instructions a received fragment
  bool pairedExchange = false;       // 64-bit exchange between pairs of tiles, whatever they receive
  unsigned copyLaunchCycles = 72;    // of one copy vertex on a tile
  unsigned copyPieceCycles = 12;     // of every further contiguous piece that it copies, at most
  unsigned copyWordHalfCycles = 5;   // of every word of 8 bytes in a short piece; in halves
  double hostBytesPerSecond = 20.2e9;
  unsigned hostPacketCycles = 18; // of one packet between a tile and the host
  unsigned hostPacketBytesIn = 1024;
  unsigned hostPacketBytesOut = 256;

  // Links between IPUs, which stand in pairs on the rungs of a ladder.
  double linkBitsPerSecond = 128.0 * 1024 * 1024 * 1024 * 0.85;
  unsigned linksInPair = 4;       // between the two IPUs of a pair, for their own traffic
  unsigned linksAcross = 2;       // between the two IPUs of a pair, for traffic that goes on to other pairs
  unsigned linksAlong = 2;        // to the pair above, and as many to the pair below
  double linkLatency = 1.25e-6;   // seconds until the first byte arrives
  unsigned linkPacketBytes = 128; // packets between IPUs
  std::vector<LinkConstraint> linkConstraints; // if there are any, they replace the ladder

  unsigned usableBytes() const { return bytesPerTile - reservedBytes; }
  unsigned ipuOf(unsigned tile) const { return tile / tilesPerIPU; }
  unsigned numTiles() const { return numIPUs * tilesPerIPU; }
  /// Of the sync before a compute set.
  unsigned computeSyncCycles() const { return syncsComputeSets ? syncCycles : 0; }
  double hostBytesPerCycle() const { return hostBytesPerSecond / clock; }
  /// Cycles that each of `pieces` contiguous pieces with `bytes` in total takes to copy beyond its bytes. If they are
  /// words of 8 bytes, short pieces are copied word by word; others take a loop each.
  std::uint64_t pieceCycles(std::uint64_t bytes, std::uint64_t pieces, bool areWords) const;
  /// Cycles of a vertex on one tile that copies `bytes`, of which pieces but the first take `further`; 0 for no bytes.
  std::uint64_t copyCycles(std::uint64_t bytes, std::uint64_t further) const;
};

/// Calls f for every field of the struct, in a fixed order: what an executable keeps of a machine.
template <typename F> void forEachField(Machine &m, F &&f) {
  f(m.arch), f(m.marketName), f(m.type), f(m.numIPUs), f(m.tilesPerIPU), f(m.workers), f(m.bytesPerTile);
  f(m.interleavedOffset), f(m.clock), f(m.exchangeBytesPerCycle), f(m.memcpyBytesPerCycle), f(m.convUnitsFp16);
  f(m.convUnitsFp32), f(m.convCoeffBytesPerCycle), f(m.rptCountMax), f(m.minSyncDelay), f(m.maxSyncDelay);
  f(m.globalSyncCycles), f(m.supportsQuarter), f(m.syncCycles), f(m.exchangeFixedCycles), f(m.fragmentCycles);
  f(m.copyLaunchCycles), f(m.hostBytesPerSecond), f(m.reservedBytes), f(m.hostSyncs), f(m.pairedExchange);
  f(m.copyPieceCycles), f(m.hostPacketCycles), f(m.hostPacketBytesIn), f(m.hostPacketBytesOut);
  f(m.linkBitsPerSecond), f(m.linksInPair), f(m.linksAcross), f(m.linksAlong), f(m.linkLatency);
  f(m.linkPacketBytes), f(m.linkConstraints), f(m.copyWordHalfCycles);
}

/// The machine with that name ("ipu1", "ipu2", "bow", "ipu21" or a system such as "IPU-POD16", "BOW-POD4"), one IPU of
/// it, as hardware. Throws invalid_machine_model and lists the known names.
Machine machineNamed(const std::string &name);
Machine cpuMachine(unsigned numIPUs);

/// The part of syncCycles that differs between tiles: the signal passes the rows of the chip. IPUModel can leave it
/// out.
constexpr unsigned relativeSyncCycles = 44;
/// The machine as Graphcore's IPU Model sees it: an ideal exchange, a sync before every compute set instead of
/// its launch, and a slower host.
void becomeModel(Machine &machine);

} // namespace dace_ipu_sim
