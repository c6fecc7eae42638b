#include "../core/types.hpp"
#include "../machine/machine.hpp"

#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <tuple>

namespace poplar {

using dace_ipu_sim::Machine;

namespace {

Target targetOf(Machine machine) { return Target(std::make_shared<const Machine>(std::move(machine))); }

auto identity(const Machine &m) {
  return std::tie(m.type, m.arch, m.marketName, m.numIPUs, m.tilesPerIPU, m.bytesPerTile, m.clock, m.workers);
}

// "IPU-POD16" has 16 IPUs; other names stand for one.
unsigned ipusOfSystem(const std::string &name) {
  const std::size_t at = name.find("POD");
  if (at == std::string::npos)
    return 1;
  const std::string digits = name.substr(at + 3);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos || digits.size() > 6)
    throw invalid_machine_model("unknown system '" + name + "'; IPU-POD<n> has a number of IPUs");
  return static_cast<unsigned>(std::stoul(digits));
}

} // namespace

std::string toString(TargetType type) {
  return type == TargetType::IPU ? "IPU" : type == TargetType::IPU_MODEL ? "IPU_MODEL" : "CPU";
}

Target::Target() : Target(std::make_shared<const Machine>(dace_ipu_sim::cpuMachine(1))) {}

Target Target::createCPUTarget(bool, unsigned numIPUs) { return targetOf(dace_ipu_sim::cpuMachine(numIPUs)); }

Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &) {
  Machine m = dace_ipu_sim::machineNamed(systemType);
  if (numIPUs == 0)
    throw invalid_machine_model("createIPUTarget: a target needs an IPU at least");
  m.numIPUs = numIPUs;
  return targetOf(m);
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType, const OptionFlags &opts) {
  return createIPUTarget(numIPUs, systemType, opts).createVirtualTarget(numIPUs, tilesPerIPU);
}

Target Target::createIPUTarget(StringRef systemType, const OptionFlags &opts) {
  return createIPUTarget(ipusOfSystem(systemType), systemType, opts);
}

Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const {
  Machine m = machine();
  if (numIPUs == 0 || tilesPerIPU == 0 || tilesPerIPU > m.tilesPerIPU)
    throw invalid_machine_model("createVirtualTarget: " + std::to_string(tilesPerIPU) + " tiles on each of " +
                                std::to_string(numIPUs) + " IPUs, but an IPU has 1 to " +
                                std::to_string(m.tilesPerIPU) + " tiles");
  m.numIPUs = numIPUs;
  m.tilesPerIPU = tilesPerIPU;
  return targetOf(m);
}

TargetType Target::getTargetType() const { return machine().type; }
StringRef Target::getTargetSystemString() const { return machine().marketName; }
StringRef Target::getTargetArchString() const { return machine().arch; }
unsigned Target::getNumIPUs() const { return machine().numIPUs; }
unsigned Target::getTilesPerIPU() const { return machine().tilesPerIPU; }
unsigned Target::getNumTiles() const { return machine().numTiles(); }
unsigned Target::getNumWorkerContexts() const { return machine().workers; }
unsigned Target::getBytesPerTile() const { return machine().bytesPerTile; }
std::uint64_t Target::getMemoryBytes() const { return std::uint64_t(machine().bytesPerTile) * getNumTiles(); }
unsigned Target::getExchangeBytesPerCycle() const { return machine().exchangeBytesPerCycle; }
unsigned Target::getMemcpyBytesPerCycle() const { return machine().memcpyBytesPerCycle; }
double Target::getTileClockFrequency() const { return machine().clock; }
std::size_t Target::getTypeSize(const Type &type) const { return dace_ipu_sim::sizeOf(type); }

unsigned Target::getVectorWidth(const Type &type) const {
  if (type == FLOAT)
    return 2;
  if (type == HALF)
    return 4;
  return type == QUARTER ? 8 : 1;
}

unsigned Target::getDataPathWidth() const { return 64; }
unsigned Target::getRptCountMax() const { return machine().rptCountMax; }
unsigned Target::getNumStrideBits() const { return 10; }
unsigned Target::getAtomicStoreGranularity() const { return 4; }

std::vector<unsigned> Target::getMemoryElementOffsets() const {
  constexpr unsigned elementBytes = 16 * 1024;
  std::vector<unsigned> offsets;
  for (unsigned at = 0; at < machine().bytesPerTile; at += elementBytes)
    offsets.push_back(at);
  return offsets;
}

unsigned Target::getInterleavedMemoryElementIndex() const { return machine().interleavedOffset / (16 * 1024); }
unsigned Target::getTilesPerSharedExchangeBus() const { return 2; }

unsigned Target::getNumConvUnits(const Type &in, const Type &) const {
  return in == FLOAT ? machine().convUnitsFp32 : machine().convUnitsFp16;
}

unsigned Target::getWeightsPerConvUnit(const Type &type) const { return type == FLOAT ? 8 : type == QUARTER ? 32 : 16; }
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &type) const {
  return 8 / static_cast<unsigned>(getTypeSize(type));
}
unsigned Target::getConvUnitMaxPipelineDepth(const Type &) const { return 4; }
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const { return machine().convCoeffBytesPerCycle; }
unsigned Target::getMinIPUSyncDelay() const { return machine().minSyncDelay; }
unsigned Target::getMaxIPUSyncDelay() const { return machine().maxSyncDelay; }
unsigned Target::getGlobalSyncCycles() const { return machine().globalSyncCycles; }

double Target::typeLimit(const Type &type, bool max) const {
  if (type == FLOAT)
    return max ? std::numeric_limits<float>::max() : std::numeric_limits<float>::lowest();
  if (type == HALF)
    return max ? 65504.0 : -65504.0;
  if (type == BOOL)
    return max ? 1 : 0;
  const bool isSigned = type == INT || type == SHORT || type == CHAR || type == SIGNED_CHAR || type == LONGLONG;
  const int bits = static_cast<int>(getTypeSize(type)) * 8 - (isSigned ? 1 : 0);
  double limit = 1;
  for (int i = 0; i < bits; ++i)
    limit *= 2;
  return max ? limit - 1 : isSigned ? -limit : 0;
}

std::size_t Target::hash() const {
  return std::hash<std::string>()(machine().marketName) ^ machine().numIPUs << 16 ^ machine().tilesPerIPU;
}

bool operator==(const Target &a, const Target &b) {
  return a.machine_ == b.machine_ || identity(a.machine()) == identity(b.machine());
}

bool operator<(const Target &a, const Target &b) { return identity(a.machine()) < identity(b.machine()); }

void copyFloatToDeviceHalf(const Target &, const float *src, void *dst, std::size_t numElements) {
  auto *out = static_cast<std::uint16_t *>(dst);
  for (std::size_t i = 0; i < numElements; ++i)
    out[i] = dace_ipu_sim::floatToHalf(src[i]);
}

void copyDeviceHalfToFloat(const Target &, const void *src, float *dst, std::size_t numElements) {
  const auto *in = static_cast<const std::uint16_t *>(src);
  for (std::size_t i = 0; i < numElements; ++i)
    dst[i] = dace_ipu_sim::halfToFloat(in[i]);
}

void copyDoubleToDeviceHalf(const Target &, const double *src, void *dst, std::size_t numElements) {
  auto *out = static_cast<std::uint16_t *>(dst);
  for (std::size_t i = 0; i < numElements; ++i)
    out[i] = dace_ipu_sim::floatToHalf(static_cast<float>(src[i]));
}

void copyDeviceHalfToDouble(const Target &, const void *src, double *dst, std::size_t numElements) {
  const auto *in = static_cast<const std::uint16_t *>(src);
  for (std::size_t i = 0; i < numElements; ++i)
    dst[i] = dace_ipu_sim::halfToFloat(in[i]);
}

} // namespace poplar
