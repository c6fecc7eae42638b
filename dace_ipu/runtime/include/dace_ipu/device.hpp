// The device that programs run on: simulated ones in any number, real ones shared by all programs of a process.
#ifndef DACE_IPU_DEVICE_HPP
#define DACE_IPU_DEVICE_HPP

#if defined(__has_include)
#if __has_include(<poplar/extensions/profile.hpp>)
#define DACE_IPU_SIMULATOR 1
#include <poplar/extensions/profile.hpp>
#endif
#endif

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

/// What a program asks for: the values of compiler.ipu.* at code generation, unless the environment variable
/// DACE_compiler_ipu_<key> says otherwise at run time. `tiles` of 0 means all of them; `target` counts in simulation only.
struct Settings {
  std::string target;
  unsigned ipus;
  unsigned tiles;
  std::size_t graphCacheSize;

  Settings withEnvironment() const {
    Settings result = *this;
    if (const char *value = std::getenv("DACE_compiler_ipu_target"))
      result.target = value;
    result.ipus = static_cast<unsigned>(number("ipus", ipus, 1));
    result.tiles = static_cast<unsigned>(number("tiles", tiles, 0));
    result.graphCacheSize = number("graph_cache_size", graphCacheSize, 1);
    return result;
  }

private:
  static std::size_t number(const char *key, std::size_t otherwise, long least) {
    const std::string variable = std::string("DACE_compiler_ipu_") + key;
    const char *text = std::getenv(variable.c_str());
    if (text == nullptr)
      return otherwise;
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < least)
      throw std::invalid_argument("environment variable " + variable + " is '" + text + "', not a number of at least " +
                                  std::to_string(least));
    return static_cast<std::size_t>(value);
  }
};

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
