// The table of machines. Sources of the figures, by column:
//   tiles, memory, clock: Graphcore data sheets, program outputs and out-of-memory messages (638976 bytes = 624 KiB);
//   reserved: the loader accepts addresses up to 0xE7BB0 of 0xE8000 (published reverse engineering of the C600);
//   syncCycles, exchangeFixedCycles: fitted to the published IPU Model run of a halo exchange (20 steps cost 3328
//     cycles of sync and 5682 of exchange, with two syncs a step);
//   syncsComputeSets: that run has two syncs a step, one for the exchange and one for the vertices. On hardware tiles
//     go on by themselves after an exchange: cycle counters around a compute set without exchange find no sync (the
//     matrix unit and scaled additions of tessellate-ipu, pi on 1472 tiles of UCL), and the Gaussian blur one a step;
//   launchCycles: what those counters find beyond their own cycles and PopLibs' formulas, 37.3 +- 1.6 over 128 sizes;
//   relativeSyncCycles: a word takes two cycles more for each of the 22 further rows of a chip;
//   hostSyncs: a stream copy begins, moves and ends in PopVision's program tree;
//   fragmentCycles: each contiguous received piece takes three control instructions;
//   copyLaunchCycles: ShortMemcpy vertices in published profiles take 67 to 83 cycles;
//   copyPieceCycles: PopLibs' regression for rearranging copies, 3.125 cycles a byte with pieces of four bytes, and
//     5.148 with pieces of two; copyWordHalfCycles: the same with 0.44 cycles a byte for pieces of eight;
//   hostBytesPerSecond: 40 MB in 2641488 cycles at 1.33 GHz, the measured matrix-vector tutorial on a Mk2; the IPU
//   Model
//     takes 6663551 cycles for them;
//   hostPacket*: published reverse engineering of the C600's host packets;
//   links: PopLibs' test harness (addGlobalExchangeConstraints); linkLatency: the Gaussian blur on 16 Mk1, whose
//   exchange
//     between IPUs takes some 2000 cycles more than its bytes.
#include "machine.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace dace_ipu_sim {

namespace {

struct TableRow {
  const char *name;
  const char *arch;
  const char *marketName;
  unsigned tiles;
  unsigned bytesPerTile;
  unsigned reservedBytes;
  unsigned interleavedOffset;
  double clock;
  unsigned convUnits;
  bool quarter;
};

const std::array<TableRow, 4> machineTable = {{
    {"ipu1", "ipu1", "Mk1 GC2", 1216, 262144, 0, 131072, 1.6e9, 8, false},
    {"ipu2", "ipu2", "Mk2 GC200", 1472, 638976, 1104, 212992, 1.33e9, 16, false},
    {"bow", "ipu2", "Bow", 1472, 638976, 1104, 212992, 1.85e9, 16, false},
    {"ipu21", "ipu21", "C600", 1472, 638976, 1104, 212992, 1.5e9, 16, true},
}};

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

// "IPU-POD16" and "BOW-POD4" name whole systems of Mk2 and Bow machines.
std::string machineOfSystem(const std::string &name) {
  if (name.rfind("ipu-pod", 0) == 0 || name == "ipu-m2000")
    return "ipu2";
  if (name.rfind("bow", 0) == 0)
    return "bow";
  if (name == "c600")
    return "ipu21";
  return name;
}

Machine fromRow(const TableRow &row) {
  Machine m;
  m.arch = row.arch;
  m.marketName = row.marketName;
  m.tilesPerIPU = row.tiles;
  m.bytesPerTile = row.bytesPerTile;
  m.reservedBytes = row.reservedBytes;
  m.interleavedOffset = row.interleavedOffset;
  m.clock = row.clock;
  m.convUnitsFp16 = row.convUnits;
  m.convUnitsFp32 = row.convUnits;
  m.convCoeffBytesPerCycle = row.convUnits;
  m.supportsQuarter = row.quarter;
  return m;
}

} // namespace

Machine machineNamed(const std::string &name) {
  const std::string wanted = machineOfSystem(lower(name));
  for (const TableRow &row : machineTable)
    if (wanted == row.name)
      return fromRow(row);
  throw poplar::invalid_machine_model("unknown machine '" + name + "'; known are ipu1, ipu2, bow, ipu21, IPU-POD<n>");
}

void becomeModel(Machine &m) {
  m.type = poplar::TargetType::IPU_MODEL;
  m.fragmentCycles = 0;
  m.syncsComputeSets = true;
  m.launchCycles = 0;
  m.hostBytesPerSecond = 40.044e6 / 6663551 * 1.33e9;
}

std::uint64_t Machine::pieceCycles(std::uint64_t bytes, std::uint64_t pieces, bool areWords) const {
  if (!areWords)
    return copyPieceCycles;
  const std::uint64_t words = (bytes / 8 + pieces - 1) / pieces;
  return std::min<std::uint64_t>(copyPieceCycles, (copyWordHalfCycles * words + 1) / 2);
}

std::uint64_t Machine::copyCycles(std::uint64_t bytes, std::uint64_t further) const {
  return bytes == 0 ? 0 : copyLaunchCycles + bytes / memcpyBytesPerCycle + further;
}

Machine cpuMachine(unsigned numIPUs) {
  Machine m;
  m.arch = "cpu";
  m.marketName = "CPU";
  m.type = poplar::TargetType::CPU;
  m.numIPUs = numIPUs;
  m.tilesPerIPU = 1;
  m.workers = 1;
  m.bytesPerTile = 256 * 1024;
  m.interleavedOffset = m.bytesPerTile / 2;
  m.clock = 1e9;
  m.syncCycles = 0;
  m.launchCycles = 0;
  m.exchangeFixedCycles = 0;
  m.linkLatency = 0;
  return m;
}

} // namespace dace_ipu_sim
