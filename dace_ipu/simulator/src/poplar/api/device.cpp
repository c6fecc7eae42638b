#include "../machine/machine.hpp"

#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>

namespace poplar {

using dace_ipu_sim::Machine;

// Whether this object attached is state of the handle, as the methods that change it are const in Poplar.
struct Device::State {
  Target target;
  unsigned id;
  bool attached;
};

Device::Device() : Device(Target(), 0) {}
Device::Device(const Target &target, unsigned id) : state_(new State{target, id, false}) {}
Device::Device(Device &&other) noexcept = default;
Device &Device::operator=(Device &&other) noexcept = default;
Device::~Device() = default;

Device Device::createCPUDevice(unsigned numIPUs) { return Device(Target::createCPUTarget(false, numIPUs), 0); }
Device Device::createSimulatorDevice(const Target &target, const OptionFlags &) { return Device(target, 0); }
Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  return Device(state_->target.createVirtualTarget(state_->target.getNumIPUs(), tilesPerIPU), state_->id);
}

unsigned Device::getId() const { return state_->id; }
const Target &Device::getTarget() const { return state_->target; }
bool Device::attach() const {
  if (state_->attached)
    return false;
  return state_->attached = true;
}
bool Device::isAttached() const { return state_->attached; }
void Device::detach() const { state_->attached = false; }
void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const { major = minor = point = 0; }
bool Device::supportsRemoteBuffers() const { return true; }
bool Device::hasGateway() const { return false; }
std::map<std::string, std::string> Device::getAttributes() const {
  return {{"simulated", "true"}, {"IPU version", state_->target.getTargetArchString()}};
}
std::vector<int> Device::getNumaTopology() const { return std::vector<int>(state_->target.getNumIPUs(), 0); }
std::vector<int> Device::getNumaNodesUsedForIPUs() const { return getNumaTopology(); }
std::vector<unsigned> Device::getDriverIDs() const { return {state_->id}; }
void Device::reset() const {}

namespace {

// What the environment says this host has.
struct Host {
  Machine machine;
  unsigned numIPUs;
};

unsigned numberFrom(const char *variable, unsigned fallback) {
  const char *text = std::getenv(variable);
  if (!text)
    return fallback;
  char *end = nullptr;
  const unsigned long n = std::strtoul(text, &end, 10);
  if (*end != 0 || n == 0 || n > 1u << 20)
    throw poplar_error(std::string("environment variable ") + variable + " must be a positive number, not '" + text +
                       "'");
  return static_cast<unsigned>(n);
}

Host host() {
  const char *name = std::getenv("DACE_IPU_SIM_TARGET");
  Host h{dace_ipu_sim::machineNamed(name ? name : "ipu2"), numberFrom("DACE_IPU_SIM_IPUS", 4)};
  h.machine.tilesPerIPU = numberFrom("DACE_IPU_SIM_TILES", h.machine.tilesPerIPU);
  return h;
}

// Groups of 1, 2, 4, ... consecutive IPUs; their position in this list is their id.
struct Group {
  unsigned first;
  unsigned size;
};

std::vector<Group> groups(unsigned numIPUs) {
  std::vector<Group> all;
  for (unsigned size = 1; size <= numIPUs; size *= 2)
    for (unsigned first = 0; first + size <= numIPUs; first += size)
      all.push_back({first, size});
  return all;
}

Device makeDevice(const Host &h, unsigned id, unsigned size) {
  Machine m = h.machine;
  m.numIPUs = size;
  return Device(Target(std::make_shared<const Machine>(m)), id);
}

} // namespace

DeviceManager::DeviceManager() = default;
DeviceManager DeviceManager::createDeviceManager() { return DeviceManager(); }
std::size_t DeviceManager::getNumDevices() const { return groups(host().numIPUs).size(); }

std::vector<Device> DeviceManager::getDevices(const OptionFlags &) const {
  const Host h = host();
  const std::vector<Group> all = groups(h.numIPUs);
  std::vector<Device> devices;
  for (unsigned id = 0; id < all.size(); ++id)
    devices.push_back(makeDevice(h, id, all[id].size));
  return devices;
}

std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                                              const OptionFlags &opts) const {
  std::vector<Device> devices;
  if (type == TargetType::CPU) {
    devices.push_back(Device::createCPUDevice(requiredNumIPUs));
  } else if (type == TargetType::IPU_MODEL) {
    IPUModel model;
    model.numIPUs = requiredNumIPUs;
    devices.push_back(model.createDevice());
  } else {
    for (Device &d : getDevices(opts))
      if (d.getTarget().getNumIPUs() == requiredNumIPUs)
        devices.push_back(std::move(d));
  }
  return devices;
}

Device DeviceManager::getDevice(unsigned deviceManagerId, const OptionFlags &opts) const {
  std::vector<Device> all = getDevices(opts);
  if (deviceManagerId >= all.size())
    throw poplar_error("no device with id " + std::to_string(deviceManagerId) + "; there are " +
                       std::to_string(all.size()));
  return std::move(all[deviceManagerId]);
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus) const {
  const std::vector<Group> all = groups(host().numIPUs);
  if (parentId >= all.size())
    throw poplar_error("no device with id " + std::to_string(parentId));
  const Group &parent = all[parentId];
  std::vector<unsigned> ids;
  for (unsigned id = 0; id < all.size(); ++id)
    if (all[id].size == numChildDeviceIpus && all[id].first >= parent.first &&
        all[id].first + all[id].size <= parent.first + parent.size)
      ids.push_back(id);
  return ids;
}

IPUModel::IPUModel(char const *version) : IPUVersion(version) {
  const Machine m = dace_ipu_sim::machineNamed(version);
  numIPUs = 1;
  tilesPerSuperTile = 4;
  tilesPerIPU = m.tilesPerIPU;
  numWorkerContexts = m.workers;
  memoryBytesPerTile = m.bytesPerTile;
  tileClockFrequency = m.clock;
  exchangeBytesPerCycle = m.exchangeBytesPerCycle;
  memcpyBytesPerCycle = m.memcpyBytesPerCycle;
  instructionBytes = 4;
  supportsSuperTileSendReceive = m.arch == "ipu1";
  interleavedMemoryElementIndex = m.interleavedOffset / (16 * 1024);
  relativeSyncDelay = RelativeSyncDelayType::AUTO;
  minIPUSyncDelay = m.syncCycles - dace_ipu_sim::relativeSyncCycles;
  globalSyncCycles = m.globalSyncCycles;
  globalExchangePacketBytes = m.linkPacketBytes;
  tileLocalSyncSyncDelay = tileLocalSyncExitDelay = 0;
  numStrideBits = 10;
  dataPathWidth = 64;
  fp16ConvUnitMaxPipelineDepth = fp32ConvUnitMaxPipelineDepth = 4;
  fp16ConvUnitInputLoadElemsPerCycle = 4;
  fp32ConvUnitInputLoadElemsPerCycle = 2;
  fp16InFp16OutConvUnitsPerTile = fp16InFp32OutConvUnitsPerTile = m.convUnitsFp16;
  fp32InFp32OutConvUnitsPerTile = m.convUnitsFp32;
  convUnitCoeffLoadBytesPerCycle = m.convCoeffBytesPerCycle;
  supervisorInstrFetchDelay = workerInstrFetchDelay = 0;
  rptCountMax = m.rptCountMax;
  atomicStoreGranularity = 4;
  compileIPUCode = false;
}

namespace {

dace_ipu_sim::LinkConstraint constraintOf(const GlobalExchangeConstraint &c, unsigned numIPUs) {
  if (!(c.bandwidth > 0))
    throw invalid_machine_model("IPUModel: the bandwidth of a globalExchangeConstraint must be positive");
  dace_ipu_sim::LinkConstraint result{c.bandwidth, {}};
  for (const GlobalExchangeFlow &f : c.flows) {
    if (f.src >= numIPUs || f.dst >= numIPUs)
      throw invalid_machine_model("IPUModel: a globalExchangeConstraint names IPU " +
                                  std::to_string(std::max(f.src, f.dst)) + " of " + std::to_string(numIPUs));
    result.flows.emplace_back(f.src, f.dst);
  }
  return result;
}

} // namespace

Device IPUModel::createDevice(OptionFlags, bool, unsigned deviceManagerId) const {
  Machine m = dace_ipu_sim::machineNamed(IPUVersion);
  if (numIPUs == 0 || tilesPerIPU == 0 || numWorkerContexts == 0 || exchangeBytesPerCycle == 0 ||
      memcpyBytesPerCycle == 0 || !(tileClockFrequency > 0))
    throw invalid_machine_model(
        "IPUModel: numbers of IPUs, tiles, workers, bytes per cycle and the clock must be positive");
  dace_ipu_sim::becomeModel(m);
  m.numIPUs = numIPUs;
  m.tilesPerIPU = tilesPerIPU;
  m.workers = numWorkerContexts;
  m.bytesPerTile = memoryBytesPerTile;
  m.clock = tileClockFrequency;
  m.exchangeBytesPerCycle = exchangeBytesPerCycle;
  m.memcpyBytesPerCycle = memcpyBytesPerCycle;
  m.globalSyncCycles = globalSyncCycles;
  m.rptCountMax = rptCountMax;
  m.reservedBytes = std::min(m.reservedBytes, memoryBytesPerTile);
  m.interleavedOffset = interleavedMemoryElementIndex * 16 * 1024;
  m.convUnitsFp16 = fp16InFp32OutConvUnitsPerTile;
  m.convUnitsFp32 = fp32InFp32OutConvUnitsPerTile;
  m.convCoeffBytesPerCycle = convUnitCoeffLoadBytesPerCycle;
  m.pairedExchange = supportsSuperTileSendReceive;
  m.linkPacketBytes = std::max(1u, globalExchangePacketBytes);
  for (const GlobalExchangeConstraint &c : globalExchangeConstraints)
    m.linkConstraints.push_back(constraintOf(c, numIPUs));
  m.syncCycles = minIPUSyncDelay +
                 (relativeSyncDelay == RelativeSyncDelayType::AUTO ? dace_ipu_sim::relativeSyncCycles : 0);
  m.minSyncDelay = minIPUSyncDelay;
  const unsigned id = deviceManagerId == std::numeric_limits<unsigned>::max() ? 0 : deviceManagerId;
  return Device(Target(std::make_shared<const Machine>(m)), id);
}

} // namespace poplar
