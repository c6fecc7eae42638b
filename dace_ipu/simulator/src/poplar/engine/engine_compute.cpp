// EngineCore: runs the vertices of a compute set.
#include "engine_core.hpp"
#include "codelet_host.hpp"
#include "copies.hpp"
#include "faults.hpp"
#include "fp_trap.hpp"
#include "thread_pool.hpp"

#include <poplar/exceptions.hpp>

#include <atomic>

namespace dace_ipu_sim {

namespace {

/// The thread that runs codelets, until the end of a scope.
class Running {
public:
  Running(std::uint64_t now, std::ostream *stream) : thread(CodeletThread::current()) {
    thread.enterComputeSet(now, stream);
  }
  ~Running() { thread.forgetCost(); }
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;

  CodeletThread &thread;
};

} // namespace

CodeCosts &EngineCore::costsOf(const ComputeSetPlan &cs) {
  return codeCosts_[static_cast<std::size_t>(&cs - plan_->computeSets.data())];
}

// Every worker has a seed of its own, and its successor, in the same vertex or the next, has one that is larger by the
// number of replicas.
std::uint64_t EngineCore::seedOf(const ComputeSetPlan &cs, const Replica &r, std::size_t call, unsigned worker) const {
  const std::uint64_t vertex = r.computeSetRuns * cs.calls.size() + call;
  return (vertex * cs.calls[call].workers + worker) * plan_->graph->replicas + r.index;
}

// What the vertex costs is noted if it is to be, and floating-point exceptions stop the program, but not in a replay.
bool EngineCore::runWorkers(const ComputeSetPlan &cs, Replica &r, std::size_t index, WorkerRange workers, bool isReplay,
                            CodeletThread &thread) {
  const VertexCall &call = cs.calls[index];
  CodeCosts &costs = costsOf(cs);
  void *const state = r.vertices.data() + cs.states[index];
  const bool counts = costs.wants(call);
  const bool notes = !isReplay && r.index == 0;
  const FpTrap trap(isReplay ? 0 : r.fpControl);
  bool all = true;
  std::uint64_t seed = seedOf(cs, r, index, workers.first);
  for (unsigned worker = workers.first; worker < workers.second; ++worker, seed += plan_->graph->replicas) {
    thread.enterVertex(seed);
    all &= counts ? costs.run(call, plan_->graph->target.machine(), state, worker, notes, thread)
                  : call.type->run(state, worker);
  }
  if (const char *what = trap.raised())
    throw poplar::application_runtime_error("floating-point exception: " + std::string(what) + " in " +
                                            describeVertex(*plan_->graph, call.vertex));
  return all;
}

// The codelet module runs a batch by itself, unless there is something to do between its vertices.
bool EngineCore::runBatch(const ComputeSetPlan &cs, Replica &r, const VertexBatch &batch, DaceIpuBatch &running,
                          CodeletThread &thread) {
  const VertexCall &first = cs.calls[batch.begin];
  if (first.type->run_batch && !first.setTile && r.fpControl == 0 && !costsOf(cs).wants(batch)) {
    running = {r.vertices.data(),
               &cs.states[batch.begin],
               batch.end - batch.begin,
               0,
               first.workers,
               thread.random(),
               CodeletThread::stateOf(seedOf(cs, r, batch.begin, 0)),
               CodeletThread::stateOf(plan_->graph->replicas),
               0};
    return first.type->run_batch(&running);
  }
  bool all = true;
  for (std::size_t i = batch.begin; i < batch.end; ++i) {
    running.running = i - batch.begin;
    if (first.setTile)
      first.setTile(cs.calls[i].tile);
    all &= runWorkers(cs, r, i, {0, first.workers}, false, thread);
  }
  return all;
}

bool EngineCore::runBatches(const ComputeSetPlan &cs, Replica &r, std::size_t begin, std::size_t end) {
  if (plan_->checkVertices)
    return runChecked(cs, r, begin, end);
  const Running now(r.now, printStream_);
  DaceIpuBatch running = {};
  bool all = true;
  std::size_t at = begin;
  const auto run = [&] {
    for (; at < end; ++at)
      all &= runBatch(cs, r, cs.batches[at], running, now.thread);
  };
  if (const int signal = catchFault(run)) {
    const VertexCall &call = cs.calls[cs.batches[at].begin + running.running];
    throw poplar::application_runtime_error(describeCodelet(*plan_->graph, call.vertex) + " " + faultText(signal));
  }
  return all;
}

// The first run of a worker prints, says what the vertex costs and may raise exceptions; the others must not, and see
// the same cycle counter.
bool EngineCore::runChecked(const ComputeSetPlan &cs, Replica &r, std::size_t begin, std::size_t end) {
  const Running now(r.now, printStream_);
  VertexCheck check(*plan_->graph, cs, r.vertices.data(), r.initialised);
  std::vector<Untouched> untouched;
  bool all = true;
  const std::size_t firstCall = begin < end ? cs.batches[begin].begin : 0;
  const std::size_t lastCall = begin < end ? cs.batches[end - 1].end : 0;
  for (std::size_t i = firstCall; i < lastCall; ++i) {
    if (cs.calls[i].setTile)
      cs.calls[i].setTile(cs.calls[i].tile);
    std::uint64_t cycles[workersOfMultiVertex];
    const auto run = [&](unsigned worker, bool isReplay) {
      if (!isReplay)
        cycles[worker] = now.thread.cyclesNow();
      now.thread.enterComputeSet(cycles[worker], isReplay ? nullptr : printStream_);
      return runWorkers(cs, r, i, {worker, worker + 1}, isReplay, now.thread);
    };
    all &= check.run(i, run, untouched);
  }
  const std::lock_guard<std::mutex> lock(untouchedMutex_);
  untouched_.insert(untouched_.end(), untouched.begin(), untouched.end());
  return all;
}

void EngineCore::runComputeSet(const Step &step, Replica &r) {
  const ComputeSetPlan &cs = plan_->computeSets[step.id];
  checkReads(cs.reads, r);
  runCopies(cs.before, r.temporaries.data(), r.variables.data());
  ++r.computeSetRuns;
  untouched_.clear();
  std::atomic<bool> all{true};
  if (cs.chunks.size() == 2) {
    all = runBatches(cs, r, cs.chunks[0], cs.chunks[1]);
  } else {
    ThreadPool::instance().forEach(cs.chunks.size() - 1, [&](std::size_t i) {
      if (!runBatches(cs, r, cs.chunks[i], cs.chunks[i + 1]))
        all = false;
    });
  }
  if (r.index == 0)
    codeCosts_[step.id].finish(cs, plan_->graph->target.machine());
  runCopies(cs.after, r.variables.data(), r.temporaries.data());
  if (step.element.type != poplar::Type())
    r.variables.data()[step.element.offset] = all;
  noteWrites(cs.writes, r);
  for (const Untouched &u : untouched_)
    r.initialised[u.var].remove(u.element, u.element + 1);
}

} // namespace dace_ipu_sim
