// The table of machines. Sources of the figures, by column:
//   tiles, memory, clock: Graphcore data sheets, program outputs and out-of-memory messages (638976 bytes = 624 KiB);
//   syncCycles, exchangeFixedCycles: fitted to the published IPU Model run of a halo exchange (20 steps cost 3328
//     cycles of sync and 5682 of exchange, with two syncs a step);
//   fragmentCycles: each contiguous received piece takes three control instructions;
//   copyLaunchCycles: ShortMemcpy vertices in published profiles take 67 to 83 cycles;
//   hostBytesPerSecond: 40 MB in 2641488 cycles at 1.33 GHz, the measured matrix-vector tutorial on a Mk2.
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
  unsigned interleavedOffset;
  double clock;
  unsigned convUnits;
  bool quarter;
};

const std::array<TableRow, 4> machineTable = {{
    {"ipu1", "ipu1", "Mk1 GC2", 1216, 262144, 131072, 1.6e9, 8, false},
    {"ipu2", "ipu2", "Mk2 GC200", 1472, 638976, 212992, 1.33e9, 16, false},
    {"bow", "ipu2", "Bow", 1472, 638976, 212992, 1.85e9, 16, false},
    {"ipu21", "ipu21", "C600", 1472, 638976, 212992, 1.5e9, 16, true},
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
  m.exchangeFixedCycles = 0;
  return m;
}

} // namespace dace_ipu_sim
