#include "codelet_host.hpp"

#include <poplar/abi/codelet_module.h>

#include <mutex>
#include <ostream>
#include <string>

namespace dace_ipu_sim {

namespace {

thread_local std::uint64_t randomState = 1;
thread_local std::uint64_t cycleBase = 0;
thread_local std::ostream *printStream = nullptr;

// Of the vertex that counts its cost.
thread_local std::uint64_t (*takeCost)() = nullptr;
thread_local std::uint64_t cost = 0;
thread_local unsigned cyclesPerUnit = 0;

// Two readings of the counter in a row differ by this much on the machine.
constexpr std::uint64_t counterCycles = 45;

std::uint64_t cycles() {
  if (!takeCost)
    return cycleBase += counterCycles;
  cost += takeCost();
  return cycleBase + cost * cyclesPerUnit;
}

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators".
std::uint64_t random() {
  std::uint64_t z = randomState += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void print(const char *text, std::size_t length) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (printStream)
    printStream->write(text, static_cast<std::streamsize>(length)).flush();
}

} // namespace

const DaceIpuCodeletHost &codeletHost() {
  static const DaceIpuCodeletHost host = {DACE_IPU_CODELET_ABI, cycles, random, print};
  return host;
}

void enterVertex(std::uint64_t seed) {
  randomState = seed * 0xd1342543de82ef95u;
  takeCost = nullptr; // of a vertex that a fault ended
}

void countWith(std::uint64_t (*take)(), unsigned perUnit) {
  take(); // what a vertex that a fault ended has left
  takeCost = take;
  cost = 0;
  cyclesPerUnit = perUnit;
}

std::uint64_t takeCounted() {
  const std::uint64_t total = cost + takeCost();
  takeCost = nullptr;
  return total;
}

std::uint64_t cyclesNow() { return cycleBase; }

void enterComputeSet(std::uint64_t now, std::ostream *stream) {
  cycleBase = now;
  printStream = stream;
}

} // namespace dace_ipu_sim
