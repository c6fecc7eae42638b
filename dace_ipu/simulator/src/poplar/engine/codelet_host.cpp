#include "codelet_host.hpp"

#include <poplar/abi/codelet_module.h>

#include <mutex>
#include <ostream>

namespace dace_ipu_sim {

namespace {

// Two readings of the counter in a row differ by this much on the machine.
constexpr std::uint64_t counterCycles = 45;

std::uint64_t cycles() { return CodeletThread::current().readCycles(); }
std::uint64_t random() { return CodeletThread::current().nextRandom(); }
void print(const char *text, std::size_t length) { CodeletThread::current().print(text, length); }

} // namespace

const DaceIpuCodeletHost &codeletHost() {
  static const DaceIpuCodeletHost host = {DACE_IPU_CODELET_ABI, cycles, random, print};
  return host;
}

CodeletThread &CodeletThread::current() {
  thread_local CodeletThread thread;
  return thread;
}

std::uint64_t CodeletThread::readCycles() {
  if (!takeCost_)
    return cycleBase_ += counterCycles;
  cost_ += takeCost_();
  return cycleBase_ + cost_ * cyclesPerUnit_;
}

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators".
std::uint64_t CodeletThread::nextRandom() {
  std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void CodeletThread::print(const char *text, std::size_t length) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (printStream_)
    printStream_->write(text, static_cast<std::streamsize>(length)).flush();
}

} // namespace dace_ipu_sim
