// Target: what the graph is built for: how many tiles, how fast, how much memory.
#ifndef poplar_Target_hpp
#define poplar_Target_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace dace_ipu_sim {
struct Machine;
}

namespace poplar {

enum class IpuLinkTopology { Mesh, Torus, Line };
enum class IpuLinkConfiguration { Default, SlidingWindow, BarleyTwist };
enum class GatewayMode { Off, On };

/// A value that describes a machine. The figures come from the table in src/poplar/machine/targets.cpp.
class Target {
public:
  Target();

  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  /// `systemType`: "ipu1", "ipu2", "bow", "ipu21" or a system name such as "IPU-POD16".
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &opts = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags &opts = {});
  static Target createIPUTarget(StringRef systemType, const OptionFlags &opts = {});
  /// The same machine with fewer IPUs or tiles.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;
  StringRef getTargetSystemString() const;
  StringRef getTargetArchString() const;
  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  std::uint64_t getMemoryBytes() const;
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  double getTileClockFrequency() const; ///< Hz
  std::size_t getTypeSize(const Type &type) const;
  unsigned getVectorWidth(const Type &type) const;
  unsigned getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
  unsigned getHalfVectorWidth() const { return getVectorWidth(HALF); }
  unsigned getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }
  unsigned getDataPathWidth() const; ///< bits
  unsigned getRptCountMax() const;
  unsigned getNumStrideBits() const;
  unsigned getAtomicStoreGranularity() const; ///< bytes
  std::vector<unsigned> getMemoryElementOffsets() const;
  unsigned getInterleavedMemoryElementIndex() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const { return getTilesPerSharedExchangeBus() > 1; }

  unsigned getNumConvUnits(const Type &in, const Type &partial) const;
  unsigned getWeightsPerConvUnit(const Type &type) const;
  unsigned getWeightsPerConvUnit(bool floatActivations) const {
    return getWeightsPerConvUnit(floatActivations ? FLOAT : HALF);
  }
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &partial) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(QUARTER); }
  unsigned getFp16ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(HALF); }
  unsigned getFp32ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(FLOAT); }
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const { return getConvUnitInputLoadElemsPerCycle(QUARTER); }
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const { return getConvUnitInputLoadElemsPerCycle(HALF); }
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const { return getConvUnitInputLoadElemsPerCycle(FLOAT); }
  unsigned getFp16InFp16OutConvUnitsPerTile() const { return getNumConvUnits(HALF, HALF); }
  unsigned getFp16InFp32OutConvUnitsPerTile() const { return getNumConvUnits(HALF, FLOAT); }
  unsigned getFp32InFp32OutConvUnitsPerTile() const { return getNumConvUnits(FLOAT, FLOAT); }

  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  unsigned getIpuLinkDomainSize() const { return getNumIPUs(); }
  IpuLinkConfiguration getIpuLinkConfiguration() const { return IpuLinkConfiguration::Default; }
  IpuLinkTopology getIpuLinkTopology() const { return IpuLinkTopology::Mesh; }
  unsigned getInstanceSize() const { return getNumIPUs(); }
  bool getGatewayMode() const { return false; }
  unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const {
    return unsigned(inv) | unsigned(div0) << 1 | unsigned(oflo) << 2 | unsigned(esr) << 3 | unsigned(nanoo) << 4;
  }
  template <typename T> T getTypeLimitsMaxAs(const Type &type) const { return static_cast<T>(typeLimit(type, true)); }
  template <typename T> T getTypeLimitsLowestAs(const Type &type) const {
    return static_cast<T>(typeLimit(type, false));
  }

  std::size_t hash() const;
  friend bool operator==(const Target &a, const Target &b);
  friend bool operator!=(const Target &a, const Target &b) { return !(a == b); }
  friend bool operator<(const Target &a, const Target &b);

  /// For the library itself.
  explicit Target(std::shared_ptr<const dace_ipu_sim::Machine> machine) : machine_(machine) {}
  const dace_ipu_sim::Machine &machine() const { return *machine_; }

private:
  double typeLimit(const Type &type, bool max) const;
  std::shared_ptr<const dace_ipu_sim::Machine> machine_;
};

/// Conversions between host floats and the halves of the device.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst, std::size_t numElements);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst, std::size_t numElements);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst, std::size_t numElements);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst, std::size_t numElements);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &t) const { return t.hash(); }
};
} // namespace std

#endif
