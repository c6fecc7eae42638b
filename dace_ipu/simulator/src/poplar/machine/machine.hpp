// The figures of a machine. Everything that depends on the kind of IPU is in here.
#pragma once

#include <poplar/TargetType.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace dace_ipu_sim {

struct Machine {
  std::string arch;       // "ipu1", "ipu2", "ipu21", as popc's -target spells it
  std::string marketName; // "Mk2 GC200"
  poplar::TargetType type = poplar::TargetType::IPU;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 0;
  unsigned workers = 6;
  unsigned bytesPerTile = 0;
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

  // Costs of the model.
  unsigned syncCycles = 83;          // of one internal sync
  unsigned exchangeFixedCycles = 82; // of one exchange beyond its bytes
  unsigned fragmentCycles = 3;       // control instructions a received fragment
  unsigned copyLaunchCycles = 72;    // of one copy vertex on a tile
  double hostBytesPerSecond = 20.2e9;

  unsigned numTiles() const { return numIPUs * tilesPerIPU; }
  double hostBytesPerCycle() const { return hostBytesPerSecond / clock; }
};

/// Calls f for every field, in a fixed order: what an executable keeps of a machine.
template <typename F> void forEachField(Machine &m, F &&f) {
  f(m.arch), f(m.marketName), f(m.type), f(m.numIPUs), f(m.tilesPerIPU), f(m.workers), f(m.bytesPerTile);
  f(m.interleavedOffset), f(m.clock), f(m.exchangeBytesPerCycle), f(m.memcpyBytesPerCycle), f(m.convUnitsFp16);
  f(m.convUnitsFp32), f(m.convCoeffBytesPerCycle), f(m.rptCountMax), f(m.minSyncDelay), f(m.maxSyncDelay);
  f(m.globalSyncCycles), f(m.supportsQuarter), f(m.syncCycles), f(m.exchangeFixedCycles), f(m.fragmentCycles);
  f(m.copyLaunchCycles), f(m.hostBytesPerSecond);
}

/// The machine with that name ("ipu1", "ipu2", "bow", "ipu21" or a system such as "IPU-POD16", "BOW-POD4"), one IPU of
/// it, as hardware. Throws invalid_machine_model and lists the known names.
Machine machineNamed(const std::string &name);
Machine cpuMachine(unsigned numIPUs);

} // namespace dace_ipu_sim
