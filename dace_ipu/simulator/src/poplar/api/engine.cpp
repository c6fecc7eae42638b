#include "../engine/engine_core.hpp"
#include "../engine/engine_options.hpp"
#include "../engine/plan.hpp"
#include "../executable/executable_file.hpp"
#include "../profile/profile.hpp"

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>

#include <cstring>
#include <sstream>

namespace poplar {

using dace_ipu_sim::EngineCore;
using dace_ipu_sim::ExecutablePlan;

namespace {

std::shared_ptr<const ExecutablePlan> planOf(const Graph &graph, ArrayRef<program::Program> programs,
                                             const OptionFlags &opts, const ProgressFunc &progress) {
  std::vector<dace_ipu_sim::ProgramPtr> nodes;
  for (const program::Program &p : programs)
    nodes.push_back(p.node());
  auto plan = dace_ipu_sim::makePlan(graph.sharedCore(), nodes, opts);
  if (progress)
    progress(1, 1);
  return plan;
}

std::unique_ptr<EngineCore> coreOf(std::shared_ptr<const ExecutablePlan> plan) {
  return std::unique_ptr<EngineCore>(new EngineCore(std::move(plan)));
}

// What was compiled stays as it is: these options are for running it.
std::shared_ptr<const ExecutablePlan> withOptions(std::shared_ptr<const ExecutablePlan> plan, const OptionFlags &opts) {
  if (opts.empty())
    return plan;
  OptionFlags options = plan->options;
  for (const auto &flag : dace_ipu_sim::engineOptions(opts))
    options.set(flag.first, flag.second);
  auto copy = std::make_shared<ExecutablePlan>(*plan);
  copy->options = options;
  return copy;
}

ArrayRef<program::Program> one(const program::Program &p) { return ArrayRef<program::Program>(&p, 1); }

bool flag(const OptionFlags &opts, const char *key) {
  const auto it = opts.find(key);
  return it != opts.end() && it->second == "true";
}

} // namespace

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &opts,
                        ProgressFunc progress, const DebugContext &) {
  return Executable(planOf(graph, programs, opts, progress));
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &opts,
                        ProgressFunc progress, const DebugContext &) {
  return Executable(planOf(graph, programs, opts, progress));
}

void Executable::serialize(std::ostream &out) const {
  if (!plan_)
    throw poplar_error("Executable::serialize: the executable is empty");
  dace_ipu_sim::writeExecutable(*plan_, out);
}

Executable Executable::deserialize(std::istream &in) { return Executable(dace_ipu_sim::readExecutable(in)); }

Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &opts, ProgressFunc progress,
               const DebugContext &)
    : core_(coreOf(planOf(graph, programs, opts, progress))) {}
Engine::Engine(const Graph &graph, program::Program program, const OptionFlags &opts, ProgressFunc progress,
               const DebugContext &)
    : core_(coreOf(planOf(graph, one(program), opts, progress))) {}
Engine::Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &opts, ProgressFunc progress,
               const DebugContext &)
    : core_(coreOf(planOf(graph, programs, opts, progress))) {}
Engine::Engine(Graph &&graph, program::Program program, const OptionFlags &opts, ProgressFunc progress,
               const DebugContext &)
    : core_(coreOf(planOf(graph, one(program), opts, progress))) {}
Engine::Engine(const Executable &executable, const OptionFlags &opts) {
  if (!executable.plan())
    throw poplar_error("Engine: the executable is empty");
  core_ = coreOf(withOptions(executable.plan(), opts));
}
Engine::Engine(Executable &&executable, const OptionFlags &opts)
    : Engine(static_cast<const Executable &>(executable), opts) {}
Engine::Engine(Engine &&other) noexcept = default;
Engine &Engine::operator=(Engine &&other) noexcept = default;
Engine::~Engine() = default;

void Engine::prepare(const Device &device) { core_->load(device); }
void Engine::prepare(const Device &device, const RuntimeOptions &) { core_->load(device); }
void Engine::deploy() {}
void Engine::load(const Device &device) { core_->load(device); }
void Engine::run(unsigned prog, const std::string &) { core_->run(prog); }
void Engine::run(unsigned prog, const std::string &, const RuntimeOptions &) { core_->run(prog); }
void Engine::loadAndRun(const Device &device, unsigned prog) {
  load(device);
  run(prog);
}

namespace {

std::size_t distance(const void *begin, const void *end, const char *function) {
  const auto n = static_cast<const char *>(end) - static_cast<const char *>(begin);
  if (n < 0)
    throw index_error(function, "the end of the host buffer lies before its begin");
  return static_cast<std::size_t>(n);
}

} // namespace

void Engine::connectStream(StringRef handle, void *begin, void *end) {
  core_->connect(core_->streamId(handle), static_cast<char *>(begin), distance(begin, end, "connectStream"));
}
void Engine::connectStream(StringRef handle, void *p) {
  core_->connect(core_->streamId(handle), static_cast<char *>(p), dace_ipu_sim::npos);
}
void Engine::connectStream(const DataStream &stream, void *begin, void *end) {
  connectStream(StringRef(stream.handle()), begin, end);
}
void Engine::connectStream(const DataStream &stream, void *p) { connectStream(StringRef(stream.handle()), p); }
void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle f) {
  core_->connectAll(core_->streamId(handle), std::move(f));
}
void Engine::connectStreamToCallback(StringRef handle, unsigned replicaIndex, StreamCallbackHandle f) {
  core_->connect(core_->streamId(handle), replicaIndex, std::move(f));
}
void Engine::connectStreamToCallback(const DataStream &stream, unsigned replicaIndex, StreamCallbackHandle f) {
  connectStreamToCallback(StringRef(stream.handle()), replicaIndex, std::move(f));
}
void Engine::connectStreamToCallback(const DataStream &stream, StreamCallbackHandle f) {
  connectStreamToCallback(StringRef(stream.handle()), std::move(f));
}
void Engine::connectHostFunction(StringRef handle, unsigned replica, HostFunctionCallback f) {
  core_->connectHostFunction(handle, replica, std::move(f));
}
void Engine::connectHostFunction(StringRef handle, unsigned replica, std::unique_ptr<HostCallback> f) {
  const std::shared_ptr<HostCallback> shared = std::move(f);
  connectHostFunction(handle, replica, [shared](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
    (*shared)(inputs, outputs);
  });
}

void Engine::readTensor(StringRef handle, void *begin, void *end) {
  core_->readTensor(handle, static_cast<char *>(begin), distance(begin, end, "readTensor"));
}
void Engine::readTensor(StringRef handle, void *p) {
  core_->readTensor(handle, static_cast<char *>(p), dace_ipu_sim::npos);
}
void Engine::writeTensor(StringRef handle, const void *begin, const void *end) {
  core_->writeTensor(handle, static_cast<const char *>(begin), distance(begin, end, "writeTensor"));
}
void Engine::writeTensor(StringRef handle, const void *p) {
  core_->writeTensor(handle, static_cast<const char *>(p), dace_ipu_sim::npos);
}

namespace {

std::size_t blockBytes(const EngineCore &core, const std::string &handle) {
  for (const auto &r : core.plan().graph->remoteBuffers)
    if (r.handle == handle)
      return r.elements * core.plan().graph->target.getTypeSize(r.type);
  return 0;
}

} // namespace

void Engine::requireBlock(StringRef handle, std::size_t bytes) const {
  const std::size_t block = blockBytes(*core_, handle);
  if (bytes < block)
    throw index_error("remote buffer '" + handle.cloneAsString() + "'",
                      "a block has " + std::to_string(block) + " bytes, the host buffer only " + std::to_string(bytes));
}

void Engine::copyFromRemoteBuffer(StringRef handle, void *p, std::uint64_t repeatIndex, unsigned replica) {
  std::memcpy(p, core_->remoteBlock(handle, repeatIndex, replica), blockBytes(*core_, handle));
}
void Engine::copyToRemoteBuffer(const void *p, StringRef handle, std::uint64_t repeatIndex, unsigned replica) {
  std::memcpy(core_->remoteBlock(handle, repeatIndex, replica), p, blockBytes(*core_, handle));
}
void Engine::copyFromRemoteBuffer(const RemoteBuffer &buffer, void *p, std::uint64_t repeatIndex, unsigned replica) {
  copyFromRemoteBuffer(StringRef(buffer.handle()), p, repeatIndex, replica);
}
void Engine::copyToRemoteBuffer(const void *p, const RemoteBuffer &buffer, std::uint64_t repeatIndex,
                                unsigned replica) {
  copyToRemoteBuffer(p, StringRef(buffer.handle()), repeatIndex, replica);
}

Engine::TimerTimePoint Engine::getTimeStamp() { return std::chrono::steady_clock::now(); }

std::string Engine::reportTiming(const TimerTimePoint &start, const TimerTimePoint &end) {
  std::ostringstream os;
  os << "Host time: " << std::chrono::duration<double, std::milli>(end - start).count() << " ms";
  return os.str();
}

void Engine::enableExecutionProfiling() {}
void Engine::disableExecutionProfiling() {}
void Engine::resetExecutionProfile() { core_->resetProfile(); }
void Engine::printProfileSummary(std::ostream &os, const OptionFlags &opts) const {
  dace_ipu_sim::writeSummary(*core_, os, flag(opts, "showExecutionSteps"), flag(opts, "showVarStorage"));
}
void Engine::reportIntervals(std::ostream &os) const { dace_ipu_sim::writeSummary(*core_, os, true, false); }
ProfileValue Engine::getGraphProfile() const { return getProfile(); }
ProfileValue Engine::getExecutionProfile() const { return getProfile(); }
ProfileValue Engine::getProfile() const { return dace_ipu_sim::profileOf(*core_); }

std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> handles;
  for (const auto &s : core_->plan().graph->streams)
    handles.push_back(s.handle);
  return handles;
}
OptionFlags Engine::getEngineOptions() const { return core_->plan().options; }
void Engine::setPrintStream(std::ostream &os) { core_->setPrintStream(os); }
void Engine::setPrintTensorStream(std::ostream &os) { core_->setPrintTensorStream(os); }

} // namespace poplar
