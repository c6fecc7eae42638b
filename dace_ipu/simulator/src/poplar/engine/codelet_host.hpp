// What running codelets may ask of libpoplar: cycles, random numbers, printing. See abi/codelet_host.h.
#pragma once

#include <poplar/abi/codelet_host.h>

#include <cstdint>
#include <iosfwd>

namespace dace_ipu_sim {

/// The functions given to every codelet module.
const DaceIpuCodeletHost &codeletHost();

/// What the codelets that run on one host thread see. Finding it takes as long as running a small vertex: once for many.
class CodeletThread {
public:
  /// That of the calling thread.
  static CodeletThread &current();

  /// Says what codelets see of their Engine from now on. Without a stream they print nothing.
  void enterComputeSet(std::uint64_t cycles, std::ostream *print) {
    cycleBase_ = cycles;
    printStream_ = print;
  }
  /// Says that a vertex is about to run. The random numbers of a worker depend on `seed` only, so that results do not
  /// depend on the number of host threads.
  void enterVertex(std::uint64_t seed) {
    random_ = stateOf(seed);
    forgetCost();
  }
  /// The state of the random numbers for a seed: proportional to it.
  static std::uint64_t stateOf(std::uint64_t seed) { return seed * 0xd1342543de82ef95u; }
  std::uint64_t *random() { return &random_; }

  /// Says that the vertex counts what it costs, `cycles` for each of its units: until `takeCounted` its readings of the
  /// cycle counter go on with what it has cost so far.
  void countWith(std::uint64_t (*takeCost)(), unsigned cycles) {
    takeCost_ = takeCost;
    cost_ = 0;
    cyclesPerUnit_ = cycles;
  }
  /// What the vertex has cost.
  std::uint64_t takeCounted() {
    const std::uint64_t total = cost_ + takeCost_();
    takeCost_ = nullptr;
    return total;
  }
  /// Drops what a vertex has counted that a fault ended.
  void forgetCost() {
    if (takeCost_)
      takeCounted();
  }

  /// What the cycle counter shows.
  std::uint64_t cyclesNow() const { return cycleBase_; }
  /// Reads the cycle counter, which takes a while.
  std::uint64_t readCycles();
  std::uint64_t nextRandom();
  void print(const char *text, std::size_t length);

private:
  std::uint64_t random_ = 1;
  std::uint64_t cycleBase_ = 0;
  std::ostream *printStream_ = nullptr;
  // Of the vertex that counts its cost.
  std::uint64_t (*takeCost_)() = nullptr;
  std::uint64_t cost_ = 0;
  unsigned cyclesPerUnit_ = 0;
};

} // namespace dace_ipu_sim
