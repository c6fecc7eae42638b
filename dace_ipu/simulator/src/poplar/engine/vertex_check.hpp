// The checked mode: vertices run on copies of their edges, with guard zones around them, and run twice.
//
// The first run shows what is written outside of the edges. In the second run everything that the vertex must not
// read, the guard zones and elements that were never written, holds other values: if the results differ, it was read.
// In the second run each worker of a MultiVertex has the memory to itself, as if all ran at the same time: if two
// change one word, or the results differ, they race.
// Nothing has to be compiled for this, and a codelet may use its edges as it likes: by index, pointer or iterator.
#pragma once

#include "../core/graph_core.hpp"
#include "arena.hpp"
#include "interval_set.hpp"
#include "plan.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace dace_ipu_sim {

/// Elements of variables that hold a value.
using Initialised = std::unordered_map<const Variable *, IntervalSet>;

/// Elements of an output that were never written, and were not by the vertex either.
struct Untouched {
  const Variable *var;
  std::size_t element;
};

/// Runs the vertices of one compute set, one after another.
class VertexCheck {
public:
  VertexCheck(const GraphCore &graph, const ComputeSetPlan &cs, char *vertexMemory, const Initialised &initialised)
      : graph_(graph), cs_(cs), memory_(vertexMemory), initialised_(initialised) {}

  /// Runs one worker of a vertex in place; a replay must do the same as the first run of this worker did.
  using RunWorker = std::function<bool(unsigned worker, bool isReplay)>;

  /// Runs a vertex and returns what it returned. Throws application_runtime_error if it does what it must not.
  bool run(std::size_t call, const RunWorker &run, std::vector<Untouched> &untouched);

private:
  struct Edge {
    const CheckedEdge *info;
    char *home;
    std::size_t bytes;
    std::size_t elementBytes;
    std::size_t at;                     // in the scratch memory
    std::vector<std::size_t> unwritten; // elements
  };
  struct Outcome {
    int signal = 0;
    bool value = false;
    std::vector<char> before, after; // scratch memory
    std::vector<char> state;
  };
  /// What the workers leave behind, none of which saw what the others did.
  struct Apart {
    Outcome all;
    std::vector<unsigned char> writer; // of every byte of the scratch memory: a worker, from 1, or 0
    std::vector<unsigned char> stateWriter;
    std::string clash; // the first one
  };
  /// One element that the vertex must not read.
  struct Suspect {
    std::size_t edge;
    std::size_t at;
  };

  void collectEdges(std::size_t call);
  void placeEdges();
  void findUnwritten(Edge &edge) const;
  std::vector<char> scratchWith(char guard) const;
  void poison(std::vector<char> &scratch, const Edge &edge, std::size_t element) const;
  Outcome runOn(std::vector<char> scratch, unsigned firstWorker, unsigned lastWorker, bool isReplay);
  Outcome replay(std::vector<char> scratch) { return runOn(std::move(scratch), 0, call_->workers, true); }
  Apart runApart(const std::vector<char> &scratch);
  void addWorker(Apart &apart, const Outcome &one, unsigned worker) const;
  void noteClash(Apart &apart, const Outcome &one, unsigned worker, const Edge &edge, std::size_t word) const;
  void noteStateClash(Apart &apart, const Outcome &one, unsigned worker, std::size_t word) const;
  void blameDifference(const Outcome &plain);
  [[noreturn]] void blameOrder(const Outcome &plain, const Outcome &apart) const;
  Outcome compare(const Outcome &plain);
  bool mayReadUnwritten() const;
  bool sameResults(const Outcome &a, const Outcome &b) const;
  bool sameElements(const Outcome &a, const Outcome &b) const;
  void requireWritesInside(const Outcome &o) const;
  [[noreturn]] void blameWrite(std::size_t at) const;
  void blameRead(const Outcome &plain);
  std::vector<Suspect> suspects() const;
  const Edge &edgeAt(std::size_t at) const;
  static bool isOutside(const Edge &e, std::size_t at) { return at < e.at || at >= e.at + e.bytes; }
  static bool isUntouched(const Edge &e, std::size_t element, const Outcome &o);
  void noteUntouched(const Outcome &a, const Outcome &b, std::vector<Untouched> &untouched) const;
  void finish(const Outcome &o);
  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void failAt(const Edge &edge, std::size_t at, const std::string &verb) const;
  std::string nameOf(const Edge &edge) const;
  char *scratch() const;
  char *state() const { return memory_ + cs_.states[static_cast<std::size_t>(call_ - cs_.calls.data())]; }

  const GraphCore &graph_;
  const ComputeSetPlan &cs_;
  char *const memory_;
  const Initialised &initialised_;

  const VertexCall *call_ = nullptr;
  const VertexType *type_ = nullptr;
  std::vector<Edge> edges_;
  std::size_t scratchBytes_ = 0;
  std::vector<char> writable_; // of every byte of the scratch memory: all bits, or none
  std::unique_ptr<Arena> arena_; // holds the scratch memory, at its end
  std::vector<char> state_;      // before the vertex ran
  const RunWorker *run_ = nullptr;
  bool negative_ = false; // the values that stand for those that were never written
};

/// "vertex 'X' (number 3 of compute set 'cs', tile 1), a codelet of x.cpp:12"
std::string describeCodelet(const GraphCore &graph, unsigned vertex);

} // namespace dace_ipu_sim
