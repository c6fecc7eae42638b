// What running codelets may ask of libpoplar: cycles, random numbers, printing. See abi/codelet_host.h.
#pragma once

#include <poplar/abi/codelet_host.h>

#include <cstdint>
#include <iosfwd>

namespace dace_ipu_sim {

/// The functions given to every codelet module.
const DaceIpuCodeletHost &codeletHost();

/// Says what this thread is about to run, until the next call. The random numbers of a worker depend on `seed` only,
/// so that results do not depend on the number of host threads.
void enterVertex(std::uint64_t seed);
/// Says that this thread is about to run a vertex that counts what it costs, `cycles` for each of its units: until
/// `takeCounted` its readings of the cycle counter go on with what it has cost so far.
void countWith(std::uint64_t (*takeCost)(), unsigned cycles);
/// What the vertex has cost.
std::uint64_t takeCounted();
/// What the cycle counter shows on this thread.
std::uint64_t cyclesNow();
/// What codelets on this thread see of their Engine. Without a stream they print nothing.
void enterComputeSet(std::uint64_t cycles, std::ostream *print);

} // namespace dace_ipu_sim
