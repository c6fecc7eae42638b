#include "engine_core.hpp"
#include "../core/types.hpp"
#include "../profile/profile.hpp"
#include "codelet_host.hpp"
#include "copies.hpp"
#include "engine_options.hpp"
#include "faults.hpp"
#include "print_tensor.hpp"
#include "thread_pool.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iostream>
#include <utility>

namespace dace_ipu_sim {

namespace {

/// Whether the program does not fit into the tiles' memory and may not run all the same. Such a program gets no memory
/// here either: the host need not have as much.
bool isRefused(const ExecutablePlan &plan) {
  const bool mayOverflow =
      plan.graph->target.getTargetType() != poplar::TargetType::IPU || isSet(plan.options, "debug.allowOutOfMemory");
  return !mayOverflow && !overflowText(plan).empty();
}

} // namespace

EngineCore::EngineCore(std::shared_ptr<const ExecutablePlan> plan)
    : plan_(std::move(plan)), variables_(isRefused(*plan_) ? 0 : plan_->variableBytes),
      vertices_(plan_->vertexImage.size()), temporaries_(isRefused(*plan_) ? 0 : plan_->temporaryBytes),
      executions_(plan_->steps.size()), computeCycles_(plan_->steps.size()),
      codeCosts_(plan_->computeSets.begin(), plan_->computeSets.end()), counterStarts_(plan_->cycleCounters),
      streams_(plan_->graph->streams.size()), hostFunctions_(plan_->graph->hostFunctions.size()),
      printStream_(&std::cerr), printTensorStream_(&std::cerr) {
  for (const RemoteBufferRecord &r : plan_->graph->remoteBuffers)
    remoteBuffers_.emplace_back(r.elements * r.repeats * sizeOf(r.type));
  if (!isRefused(*plan_))
    return;
  const std::string path = reportPath(*plan_);
  writeReport();
  const std::string where = path.empty() ? "" : " Profile saved to: " + path;
  poplar::graph_memory_allocation_error error(overflowText(*plan_) + where, path);
  error.graphProfile = profileOf(*this);
  throw error;
}

EngineCore::~EngineCore() {
  try {
    writeReport();
  } catch (const std::exception &e) {
    std::cerr << "dace_ipu simulator: the profile was not written: " << e.what() << '\n';
  }
}

void EngineCore::writeReport() const {
  const std::string path = reportPath(*plan_);
  if (!path.empty())
    writeProfile(*this, path);
}

// Loading

void EngineCore::load(const poplar::Device &device) {
  if (device.getTarget() != plan_->graph->target)
    throw poplar::poplar_error("load: the engine was built for another target than that of the device");
  if (dirty_)
    variables_.clear();
  for (const LoadImage &image : plan_->images)
    runCopies(image.copies, variables(), reinterpret_cast<const char *>(image.bytes->data()));
  std::copy(plan_->vertexImage.begin(), plan_->vertexImage.end(), vertices_.data());
  char *const bases[] = {variables_.data(), vertices_.data(), temporaries_.data()};
  for (const Relocation &r : plan_->relocations) {
    char *const target = bases[static_cast<std::size_t>(r.memory)] + r.target;
    std::memcpy(vertices_.data() + r.at, &target, sizeof(target));
  }
  noteImages();
  resetProfile();
  now_ = 0;
  computeSetRuns_ = 0;
  loaded_ = true;
}

void EngineCore::resetProfile() {
  std::fill(executions_.begin(), executions_.end(), 0);
  std::fill(computeCycles_.begin(), computeCycles_.end(), 0);
  hostAccessCycles_ = 0;
  runs_ = 0;
  runRecords_.clear();
}

void EngineCore::requireLoaded(const std::string &what) const {
  if (!loaded_)
    throw poplar::control_program_error(what + ": the engine is not loaded");
}

// Running

void EngineCore::run(unsigned program) {
  requireLoaded("run");
  if (program >= plan_->programs.size())
    throw poplar::control_program_error("run: program " + std::to_string(program) + " does not exist, the engine has " +
                                        std::to_string(plan_->programs.size()));
  dirty_ = true;
  ++runs_;
  const FaultHandlers handlers;
  const std::uint64_t begin = now_;
  exec(plan_->programs[program]);
  constexpr std::size_t recorded = 1000;
  if (runRecords_.size() < recorded)
    runRecords_.push_back({program, now_ - begin});
}

void EngineCore::exec(int index) {
  if (index >= 0)
    runStep(plan_->steps[static_cast<std::size_t>(index)]);
}

void EngineCore::charge(const Step &step) {
  const auto index = static_cast<std::size_t>(&step - plan_->steps.data());
  ++executions_[index];
  computeCycles_[index] += costOf(step).compute;
  now_ += costOf(step).total();
}

const StepCost &EngineCore::costOf(const Step &step) const {
  return step.kind == ProgramKind::Execute ? codeCosts_[step.id].cost() : step.cost;
}

void EngineCore::runWhile(const Step &step, bool wanted) {
  for (;;) {
    exec(step.children[0]);
    checkReads(step.reads);
    charge(step);
    if (isTrue(step.element) != wanted)
      return;
    exec(step.children[1]);
  }
}

// Programs that only order others.
void EngineCore::runStep(const Step &step) {
  switch (step.kind) {
  case ProgramKind::Sequence:
  case ProgramKind::Call:
    for (const int child : step.children)
      exec(child);
    return;
  case ProgramKind::Repeat:
    for (unsigned i = 0; i < step.count; ++i)
      exec(step.children[0]);
    return;
  case ProgramKind::RepeatWhileTrue:
    return runWhile(step, true);
  case ProgramKind::RepeatWhileFalse:
    return runWhile(step, false);
  default:
    checkReads(step.reads); // empty lists, unless the check is on
    if (step.kind == ProgramKind::Execute)
      runComputeSet(step); // what it costs is known afterwards
    charge(step);
    runCharged(step);
    noteWrites(step.writes);
    for (const Access &a : step.forgets)
      initialised_[a.var].remove(a.begin, a.end);
  }
}

void EngineCore::runCharged(const Step &step) {
  switch (step.kind) {
  case ProgramKind::If:
    return exec(step.children[isTrue(step.element) ? 0 : 1]);
  case ProgramKind::Switch:
    return runSwitch(step);
  case ProgramKind::Copy:
    return runCopy(step);
  case ProgramKind::StreamToTensor:
    return streamIn(step);
  case ProgramKind::TensorToStream:
    return streamOut(step);
  case ProgramKind::RemoteToTensor:
  case ProgramKind::TensorToRemote:
    return remoteCopy(step);
  case ProgramKind::HostCall:
    return hostCall(step);
  case ProgramKind::PrintTensor:
    return print(step);
  case ProgramKind::Abort:
    return abort(step);
  case ProgramKind::AbortOnCondition:
    return isTrue(step.element) ? abort(step) : void();
  case ProgramKind::CycleStart:
    counterStarts_[step.id] = now_;
    return;
  case ProgramKind::CycleEnd:
    return readCounter(step, now_ - counterStarts_[step.id]);
  case ProgramKind::CycleStamp:
    return readCounter(step, now_);
  default: // Sync and WriteUndef cost or forget, and do nothing else
    return;
  }
}

bool EngineCore::isTrue(const ElementRef &element) const {
  return readInteger(element.type, variables() + element.offset) != 0;
}

void EngineCore::runSwitch(const Step &step) {
  const auto control = static_cast<std::int32_t>(readInteger(step.element.type, variables() + step.element.offset));
  for (std::size_t i = 0; i < step.values.size(); ++i)
    if (step.values[i] == control)
      return exec(step.children[i + 1]);
  exec(step.children[0]);
}

// `notes`: what the vertex costs is noted, if it is to be.
bool EngineCore::runWorkers(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t index, bool notes) const {
  const VertexCall &call = cs.calls[index];
  void *const state = vertices_.data() + call.state;
  const bool counts = costs.wants(cs, call);
  bool all = true;
  for (unsigned worker = 0; worker < call.workers; ++worker) {
    enterVertex((computeSetRuns_ * cs.calls.size() + index) * call.workers + worker);
    all &= counts ? costs.run(call, state, worker, notes) : call.type->run(state, worker);
  }
  return all;
}

bool EngineCore::runCalls(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t begin, std::size_t end) {
  enterComputeSet(now_, printStream_);
  if (plan_->checkVertices)
    return runChecked(cs, costs, begin, end);
  bool all = true;
  std::size_t i = begin;
  const auto run = [&] {
    unsigned tile = noTile;
    for (; i < end; ++i) {
      const VertexCall &call = cs.calls[i];
      if (call.setTile && call.tile != tile)
        call.setTile(call.tile);
      tile = call.tile;
      all &= runWorkers(cs, costs, i, true);
    }
  };
  if (const int signal = catchFault(run))
    throw poplar::application_runtime_error(describeCodelet(*plan_->graph, cs.calls[i].vertex) + " " +
                                            faultText(signal));
  return all;
}

// The first run prints and says what the vertex costs; the others must not, and see the same cycle counter.
bool EngineCore::runChecked(const ComputeSetPlan &cs, CodeCosts &costs, std::size_t begin, std::size_t end) {
  VertexCheck check(*plan_->graph, cs, vertices_.data(), initialised_);
  std::vector<Untouched> untouched;
  bool all = true;
  for (std::size_t i = begin; i < end; ++i) {
    if (cs.calls[i].setTile)
      cs.calls[i].setTile(cs.calls[i].tile);
    const std::uint64_t cycles = cyclesNow();
    bool first = true;
    all &= check.run(i, [&] {
      const bool notes = std::exchange(first, false);
      enterComputeSet(cycles, notes ? printStream_ : nullptr);
      return runWorkers(cs, costs, i, notes);
    }, untouched);
  }
  const std::lock_guard<std::mutex> lock(untouchedMutex_);
  untouched_.insert(untouched_.end(), untouched.begin(), untouched.end());
  return all;
}

void EngineCore::runComputeSet(const Step &step) {
  const ComputeSetPlan &cs = plan_->computeSets[step.id];
  CodeCosts &costs = codeCosts_[step.id];
  checkReads(cs.reads);
  runCopies(cs.before, temporaries_.data(), variables());
  ++computeSetRuns_;
  untouched_.clear();
  std::atomic<bool> all{true};
  if (cs.chunks.size() == 2) {
    all = runCalls(cs, costs, 0, cs.calls.size());
  } else {
    ThreadPool::instance().forEach(cs.chunks.size() - 1, [&](std::size_t i) {
      if (!runCalls(cs, costs, cs.chunks[i], cs.chunks[i + 1]))
        all = false;
    });
  }
  costs.finish(cs, plan_->graph->target.machine());
  runCopies(cs.after, variables(), temporaries_.data());
  if (step.element.type != poplar::Type())
    variables()[step.element.offset] = all;
  noteWrites(cs.writes);
  for (const Untouched &u : untouched_)
    initialised_[u.var].remove(u.element, u.element + 1);
}

void EngineCore::runCopy(const Step &step) {
  if (step.staging.empty())
    return runCopies(step.copies, variables(), variables());
  runCopies(step.staging, temporaries_.data(), variables());
  runCopies(step.copies, variables(), temporaries_.data());
}

void EngineCore::readCounter(const Step &step, std::uint64_t cycles) {
  constexpr std::uint64_t counterCycles = 45; // measured: two counters back to back
  now_ += counterCycles;
  cycles += counterCycles;
  runCopies(step.copies, variables(), reinterpret_cast<const char *>(&cycles));
}

std::string EngineCore::tensorText(const Step &step, const std::string &title) {
  buffer_.resize(step.argumentBytes[0]);
  runCopies(step.arguments[0], buffer_.data(), variables());
  return formatTensor(title, step.type, step.shape, buffer_.data(), step.format);
}

void EngineCore::print(const Step &step) { *printTensorStream_ << tensorText(step, step.text) << '\n' << std::flush; }

void EngineCore::abort(const Step &step) {
  std::string text = step.text.empty() ? "the program aborted" : step.text;
  if (!step.arguments.empty())
    text += "\n" + tensorText(step, "");
  throw poplar::application_runtime_error(text);
}

// The check of uninitialised reads

void EngineCore::checkReads(const std::vector<Access> &reads) const {
  for (const Access &a : reads) {
    const auto it = initialised_.find(a.var);
    if (it != initialised_.end() && it->second.intersects(a.begin, a.end))
      continue;
    throw poplar::application_runtime_error("uninitialised read: elements [" + std::to_string(a.begin) + "," +
                                            std::to_string(a.end) + ") of variable '" + a.var->name +
                                            "' were never written, but are read by " + a.who);
  }
}

void EngineCore::noteWrites(const std::vector<Access> &writes) {
  for (const Access &a : writes)
    initialised_[a.var].add(a.begin, a.end);
}

void EngineCore::noteImages() {
  initialised_.clear();
  if (!plan_->checkUninitialised)
    return;
  for (const Variable &v : plan_->graph->variables)
    if (v.isConstant)
      initialised_[&v].add(0, v.elements);
  for (const InitialValue &initial : plan_->graph->initialValues)
    forEachRunUnordered(*initial.tensor.view(), [&](const Run &r) {
      initialised_[r.var].add(r.offset, r.offset + static_cast<std::size_t>(r.stride) * (r.count - 1) + 1);
    });
}

} // namespace dace_ipu_sim
