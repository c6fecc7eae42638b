// The device that programs run on: simulated ones in any number, real ones shared by all programs of a process.
#ifndef DACE_IPU_DEVICE_HPP
#define DACE_IPU_DEVICE_HPP

#if defined(__has_include)
#if __has_include(<poplar/extensions/profile.hpp>)
#define DACE_IPU_SIMULATOR 1
#include <poplar/extensions/profile.hpp>
#endif
#endif

#include <dace_ipu/settings.hpp>

#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace dace_ipu {

/// A device and which engine's program is loaded on it; only one is at a time.
struct DeviceSlot {
  poplar::Device device;
  const void *loaded = nullptr;
};

namespace detail {

#ifdef DACE_IPU_SIMULATOR

/// A device of one's own: engines keep their data however many there are.
inline std::shared_ptr<DeviceSlot> acquire(const Settings &settings) {
  const poplar::Target machine = poplar::Target::createIPUTarget(settings.ipus, settings.target);
  auto slot = std::make_shared<DeviceSlot>();
  slot->device = poplar::Device::createSimulatorDevice(
      settings.tiles == 0 ? machine : machine.createVirtualTarget(settings.ipus, settings.tiles));
  slot->device.attach();
  return slot;
}

#else

/// The one real device of that size, attached while a program has it.
inline std::shared_ptr<DeviceSlot> acquire(const Settings &settings) {
  static std::mutex mutex;
  static std::weak_ptr<DeviceSlot> shared;
  static unsigned ipus, tiles;
  const std::lock_guard<std::mutex> lock(mutex);
  if (auto slot = shared.lock()) {
    if (ipus == settings.ipus && tiles == settings.tiles)
      return slot;
    throw std::runtime_error("another program of this process holds the IPUs in another configuration");
  }
  auto manager = poplar::DeviceManager::createDeviceManager();
  for (poplar::Device &device : manager.getDevices(poplar::TargetType::IPU, settings.ipus)) {
    if (!device.attach())
      continue;
    auto slot = std::make_shared<DeviceSlot>();
    slot->device = settings.tiles == 0 ? std::move(device) : device.createVirtualDevice(settings.tiles);
    ipus = settings.ipus;
    tiles = settings.tiles;
    shared = slot;
    return slot;
  }
  throw std::runtime_error("no device with " + std::to_string(settings.ipus) +
                           " IPU(s) is free on this machine; `gc-monitor` shows who uses them");
}

#endif

} // namespace detail

} // namespace dace_ipu

#endif // DACE_IPU_DEVICE_HPP
