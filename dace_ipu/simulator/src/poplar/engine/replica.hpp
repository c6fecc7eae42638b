// What every replica of a graph has for itself.
#pragma once

#include "arena.hpp"
#include "interval_set.hpp"
#include "plan.hpp"
#include "vertex_check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/StreamCallback.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace dace_ipu_sim {

/// A callback and what it prefetched.
struct CallbackEnd {
  poplar::StreamCallbackHandle callback;
  std::vector<char> ahead;
  bool hasAhead = false;

  explicit CallbackEnd(poplar::StreamCallbackHandle c) : callback(std::move(c)) {}
};

/// The memory and the registers of the IPUs of one replica, and the host's ends that belong to it alone.
struct Replica {
  Replica(std::size_t variableBytes, std::size_t vertexBytes, std::size_t temporaryBytes)
      : variables(variableBytes), vertices(vertexBytes), temporaries(temporaryBytes) {}

  unsigned index = 0;
  Arena variables;
  Arena vertices;
  Arena temporaries;
  std::uint64_t now = 0;            // simulated cycles since load
  std::uint64_t computeSetRuns = 0; // since load; seeds the random numbers of codelets
  std::uint32_t fpControl = 0;      // which floating-point exceptions stop the program
  std::vector<std::uint64_t> counterStarts;
  std::vector<std::shared_ptr<CallbackEnd>> callbacks; // by stream; several replicas may share one
  std::vector<std::vector<char>> remoteBuffers;
  std::vector<poplar::Engine::HostFunctionCallback> hostFunctions;
  Initialised initialised;
};

/// The replicas that take part in a step. They go through the program together; where their predicates differ, those of
/// one outcome go first.
using Replicas = std::vector<Replica *>;

} // namespace dace_ipu_sim
