// IPUModel: a machine to be described field by field before a device is made of it.
#ifndef poplar_IPUModel_hpp
#define poplar_IPUModel_hpp

#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace poplar {

enum class GlobalExchangeType { IPU_LINK, GW_LINK };

/// Traffic from one IPU to another.
struct GlobalExchangeFlow {
  unsigned src;
  unsigned dst;
  GlobalExchangeFlow(unsigned src, unsigned dst) : src(src), dst(dst) {}
};

/// A bandwidth in bits per second that the flows share. If a model has any constraints, they replace the default links.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
  GlobalExchangeConstraint(double bandwidth, ArrayRef<GlobalExchangeFlow> flows)
      : bandwidth(bandwidth), flows(flows.cloneAsVector()) {}
};

/// The parameters of a modelled IPU, preset for the given version; change any before createDevice.
struct IPUModel {
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  /// `version`: "ipu1", "ipu2", "bow" or "ipu21". Throws invalid_machine_model for another.
  explicit IPUModel(char const *version = "ipu2");

  std::string IPUVersion;
  unsigned numIPUs;
  unsigned tilesPerSuperTile;
  unsigned tilesPerIPU;
  unsigned numWorkerContexts;
  unsigned memoryBytesPerTile;
  double tileClockFrequency; ///< Hz
  unsigned exchangeBytesPerCycle;
  unsigned memcpyBytesPerCycle;
  unsigned instructionBytes;
  bool supportsSuperTileSendReceive;
  unsigned interleavedMemoryElementIndex;
  RelativeSyncDelayType relativeSyncDelay;
  unsigned minIPUSyncDelay;
  unsigned globalSyncCycles;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  unsigned globalExchangePacketBytes;
  unsigned tileLocalSyncSyncDelay;
  unsigned tileLocalSyncExitDelay;
  unsigned numStrideBits;
  unsigned dataPathWidth;
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned convUnitCoeffLoadBytesPerCycle;
  unsigned supervisorInstrFetchDelay;
  unsigned workerInstrFetchDelay;
  unsigned rptCountMax;
  unsigned atomicStoreGranularity;
  bool compileIPUCode;

  Device createDevice(OptionFlags opts = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;
};

} // namespace poplar

#endif
