// DeviceManager: the devices of this host. The simulator presents itself as hardware here.
#ifndef poplar_DeviceManager_hpp
#define poplar_DeviceManager_hpp

#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>

#include <cstddef>
#include <vector>

namespace poplar {

/// Lists simulated IPUs. Environment: DACE_IPU_SIM_TARGET (ipu1, ipu2, bow, ipu21; default ipu2) says which machine,
/// DACE_IPU_SIM_IPUS (default 4) how many IPUs it has, DACE_IPU_SIM_TILES how many tiles each (default: all).
/// Every group of 2^k consecutive IPUs is a device of its own.
class DeviceManager {
public:
  DeviceManager();
  static DeviceManager createDeviceManager();

  std::size_t getNumDevices() const;
  std::vector<Device> getDevices(const OptionFlags &opts = {}) const;
  /// All devices of the given type with exactly that many IPUs. May be empty.
  std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs, const OptionFlags &opts = {}) const;
  /// Throws poplar_error if there is no such device.
  Device getDevice(unsigned deviceManagerId, const OptionFlags &opts = {}) const;
  std::vector<unsigned> getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus = 1) const;
};

} // namespace poplar

#endif
