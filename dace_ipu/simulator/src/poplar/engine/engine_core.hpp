// The running side of an Engine: its memory, streams and counters.
#pragma once

#include "code_costs.hpp"
#include "plan.hpp"
#include "replica.hpp"
#include "vertex_check.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/StreamCallback.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace dace_ipu_sim {

/// The host's buffer of a stream, circular. Replicas take their turns in it.
struct HostStream {
  char *begin = nullptr;
  std::size_t bytes = 0;
  std::size_t position = 0;
};

/// One call of run.
struct RunRecord {
  unsigned program;
  std::uint64_t cycles;
};

class EngineCore {
public:
  explicit EngineCore(std::shared_ptr<const ExecutablePlan> plan);
  ~EngineCore();

  void load(const poplar::Device &device);
  void run(unsigned program);

  void connect(unsigned stream, char *begin, std::size_t bytes);
  /// A callback for one replica, or for all.
  void connect(unsigned stream, unsigned replica, poplar::StreamCallbackHandle callback);
  void connectAll(unsigned stream, poplar::StreamCallbackHandle callback);
  void connectHostFunction(const std::string &handle, unsigned replica, poplar::Engine::HostFunctionCallback f);
  unsigned streamId(const std::string &handle) const;
  /// The tensors of all replicas, one after another.
  void readTensor(const std::string &handle, char *begin, std::size_t bytes);
  void writeTensor(const std::string &handle, const char *begin, std::size_t bytes);
  /// The bytes of one block of a remote buffer. Throws index_error.
  char *remoteBlock(const std::string &handle, std::uint64_t repeat, unsigned replica);

  void setPrintTensorStream(std::ostream &os) { printTensorStream_ = &os; }
  void setPrintStream(std::ostream &os) { printStream_ = &os; }
  void resetProfile();

  const ExecutablePlan &plan() const { return *plan_; }
  /// How often each step ran on the first replica since load or reset.
  const std::vector<std::uint64_t> &executions() const { return executions_; }
  /// Compute cycles of all executions of each step since load or reset.
  const std::vector<std::uint64_t> &computeCycles() const { return computeCycles_; }
  const std::vector<CodeCosts> &codeCosts() const { return codeCosts_; }
  /// What a step last cost.
  const StepCost &costOf(const Step &step) const;
  std::uint64_t hostAccessCycles() const { return hostAccessCycles_; }
  std::uint64_t runs() const { return runs_; }
  /// The first calls of run since load or reset.
  const std::vector<RunRecord> &runRecords() const { return runRecords_; }

private:
  void exec(int step, const Replicas &replicas);
  void charge(const Step &step, const Replicas &replicas);
  void runStep(const Step &step, const Replicas &replicas);
  void runWhile(const Step &step, bool wanted, Replicas replicas);
  void runIf(const Step &step, const Replicas &replicas);
  void runSwitch(const Step &step, const Replicas &replicas);
  void runCharged(const Step &step, const Replicas &replicas);
  void runOnReplica(const Step &step, Replica &replica);
  static bool isTrue(const ElementRef &element, const Replica &replica);
  void runComputeSet(const Step &step, Replica &replica);
  // `begin` and `end` are batches.
  bool runBatches(const ComputeSetPlan &cs, Replica &replica, std::size_t begin, std::size_t end);
  bool runChecked(const ComputeSetPlan &cs, Replica &replica, std::size_t begin, std::size_t end);
  bool runBatch(const ComputeSetPlan &cs, Replica &replica, const VertexBatch &batch, DaceIpuBatch &running,
                CodeletThread &thread);
  using WorkerRange = std::pair<unsigned, unsigned>; // begin and end
  bool runWorkers(const ComputeSetPlan &cs, Replica &replica, std::size_t call, WorkerRange workers, bool isReplay,
                  CodeletThread &thread);
  std::uint64_t seedOf(const ComputeSetPlan &cs, const Replica &replica, std::size_t call, unsigned worker) const;
  CodeCosts &costsOf(const ComputeSetPlan &cs);
  void runCopy(const Step &step, Replica &replica);
  void crossReplicaCopy(const Step &step, const Replicas &replicas);
  void broadcast(const Step &step, const Replicas &replicas);
  void streamIn(const Step &step, Replica &replica);
  void streamOut(const Step &step, Replica &replica);
  void fetch(CallbackEnd &end, std::size_t bytes);
  char *streamWindow(HostStream &stream, const Step &step);
  void remoteCopy(const Step &step, Replica &replica);
  char *remoteBlock(unsigned buffer, std::uint64_t repeat, Replica &replica);
  void hostCall(const Step &step, Replica &replica);
  void print(const Step &step, const Replica &replica);
  void abort(const Step &step, const Replica &replica);
  void readCounter(const Step &step, std::uint64_t cycles, Replica &replica);
  void controlRegister(const Step &step, Replica &replica);
  std::string tensorText(const Step &step, const std::string &title, const Replica &replica);
  void checkReads(const std::vector<Access> &reads, const Replica &replica) const;
  static void noteWrites(const std::vector<Access> &writes, Replica &replica);
  void loadReplica(Replica &replica);
  void noteImages(Replica &replica) const;
  void writeReport() const;
  void requireLoaded(const std::string &what) const;
  Replica &replica(unsigned index);

  std::shared_ptr<const ExecutablePlan> plan_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  Replicas all_;
  bool loaded_ = false;
  bool dirty_ = false;
  bool prefetches_ = false;
  std::uint64_t runs_ = 0;
  std::vector<RunRecord> runRecords_;
  std::uint64_t hostAccessCycles_ = 0;
  std::vector<std::uint64_t> executions_;
  std::vector<std::uint64_t> computeCycles_; // by step
  std::vector<CodeCosts> codeCosts_;         // by compute set, of the first replica
  std::vector<HostStream> streams_;
  std::vector<char> buffer_; // for callbacks, host functions and printing
  std::mutex untouchedMutex_;
  std::vector<Untouched> untouched_; // by the compute set that runs
  std::ostream *printStream_; // of codelets
  std::ostream *printTensorStream_;
};

} // namespace dace_ipu_sim
