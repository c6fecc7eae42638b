// The running side of an Engine: its memory, streams and counters.
#pragma once

#include "arena.hpp"
#include "code_costs.hpp"
#include "interval_set.hpp"
#include "plan.hpp"
#include "vertex_check.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/StreamCallback.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dace_ipu_sim {

/// The host's end of a stream: nothing yet, a circular buffer, or a callback.
struct HostStream {
  char *begin = nullptr;
  std::size_t bytes = 0; // of the circular buffer
  std::size_t position = 0;
  std::unique_ptr<poplar::StreamCallbackHandle> callback;
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
  void connect(unsigned stream, poplar::StreamCallbackHandle callback);
  void connectHostFunction(const std::string &handle, poplar::Engine::HostFunctionCallback f);
  unsigned streamId(const std::string &handle) const;
  void readTensor(const std::string &handle, char *begin, std::size_t bytes);
  void writeTensor(const std::string &handle, const char *begin, std::size_t bytes);
  /// The bytes of one block of a remote buffer. Throws index_error.
  char *remoteBlock(const std::string &handle, std::uint64_t repeat);

  void setPrintTensorStream(std::ostream &os) { printTensorStream_ = &os; }
  void setPrintStream(std::ostream &os) { printStream_ = &os; }
  void resetProfile();

  const ExecutablePlan &plan() const { return *plan_; }
  /// How often each step ran since load or reset.
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
  void exec(int step);
  void charge(const Step &step);
  void runStep(const Step &step);
  void runWhile(const Step &step, bool wanted);
  void runCharged(const Step &step);
  bool isTrue(const ElementRef &element) const;
  void runComputeSet(const Step &step);
  bool runCalls(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t begin, std::size_t end);
  bool runWorkers(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t call, bool notes) const;
  bool runChecked(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t begin, std::size_t end);
  void runSwitch(const Step &step);
  void runCopy(const Step &step);
  void streamIn(const Step &step);
  void streamOut(const Step &step);
  char *streamWindow(HostStream &stream, const Step &step);
  void remoteCopy(const Step &step);
  char *remoteBlock(unsigned buffer, std::uint64_t repeat);
  void hostCall(const Step &step);
  void print(const Step &step);
  void abort(const Step &step);
  void readCounter(const Step &step, std::uint64_t cycles);
  std::string tensorText(const Step &step, const std::string &title);
  void checkReads(const std::vector<Access> &reads) const;
  void noteWrites(const std::vector<Access> &writes);
  void noteImages();
  void writeReport() const;
  void requireLoaded(const std::string &what) const;
  char *variables() const { return variables_.data(); }

  std::shared_ptr<const ExecutablePlan> plan_;
  Arena variables_;
  Arena vertices_;
  Arena temporaries_;
  bool loaded_ = false;
  bool dirty_ = false;
  std::uint64_t now_ = 0; // simulated cycles since load
  std::uint64_t runs_ = 0;
  std::vector<RunRecord> runRecords_;
  std::uint64_t computeSetRuns_ = 0; // since load; seeds the random numbers of codelets
  std::uint64_t hostAccessCycles_ = 0;
  std::vector<std::uint64_t> executions_;
  std::vector<std::uint64_t> computeCycles_; // by step
  std::vector<CodeCosts> codeCosts_;         // by compute set
  std::vector<std::uint64_t> counterStarts_;
  std::vector<HostStream> streams_;
  std::vector<poplar::Engine::HostFunctionCallback> hostFunctions_;
  std::vector<std::vector<char>> remoteBuffers_;
  std::vector<char> buffer_; // for callbacks, host functions and printing
  Initialised initialised_;
  std::mutex untouchedMutex_;
  std::vector<Untouched> untouched_; // by the compute set that runs
  std::ostream *printStream_; // of codelets
  std::ostream *printTensorStream_;
};

} // namespace dace_ipu_sim
