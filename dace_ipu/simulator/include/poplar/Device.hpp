// Device: something that can run an Engine.
#ifndef poplar_Device_hpp
#define poplar_Device_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

/// A simulated IPU (or group of IPUs), model or CPU. Move-only.
class Device {
public:
  Device();
  Device(Device &&other) noexcept;
  Device &operator=(Device &&other) noexcept;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  static Device createCPUDevice(unsigned numIPUs = 1);
  static Device createSimulatorDevice(const Target &target, const OptionFlags &opts = {});
  Device createVirtualDevice(unsigned tilesPerIPU);

  unsigned getId() const;
  const Target &getTarget() const;
  /// Reserves the device. Always succeeds for a simulated device that this object has not attached already.
  bool attach() const;
  bool isAttached() const;
  void detach() const;
  void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
  bool supportsRemoteBuffers() const;
  bool hasGateway() const;
  std::map<std::string, std::string> getAttributes() const;
  std::vector<int> getNumaTopology() const;
  std::vector<int> getNumaNodesUsedForIPUs() const;
  std::vector<unsigned> getDriverIDs() const;
  void reset() const;

  /// For the library itself.
  Device(const Target &target, unsigned id);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace poplar

#endif
