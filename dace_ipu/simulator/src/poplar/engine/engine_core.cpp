#include "engine_core.hpp"
#include "../core/types.hpp"
#include "../profile/profile.hpp"
#include "copies.hpp"
#include "engine_options.hpp"
#include "faults.hpp"
#include "fp_trap.hpp"
#include "print_tensor.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
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

std::string describeTarget(const poplar::Target &t) {
  return std::to_string(t.getNumIPUs()) + " x '" + t.getTargetArchString().cloneAsString() + "' (" +
         toString(t.getTargetType()) + ") with " + std::to_string(t.getTilesPerIPU()) + " tiles each";
}

} // namespace

EngineCore::EngineCore(std::shared_ptr<const ExecutablePlan> plan)
    : plan_(std::move(plan)), executions_(plan_->steps.size()), computeCycles_(plan_->steps.size()),
      codeCosts_(plan_->computeSets.begin(), plan_->computeSets.end()), streams_(plan_->graph->streams.size()),
      printStream_(&std::cerr), printTensorStream_(&std::cerr) {
  const bool refused = isRefused(*plan_);
  const GraphCore &graph = *plan_->graph;
  for (unsigned i = 0; i < graph.replicas; ++i) {
    replicas_.push_back(std::make_unique<Replica>(refused ? 0 : plan_->variableBytes, plan_->vertexImage.size(),
                                                  refused ? 0 : plan_->temporaryBytes));
    Replica &r = *replicas_.back();
    r.index = i;
    r.counterStarts.resize(plan_->cycleCounters);
    r.callbacks.resize(graph.streams.size());
    r.hostFunctions.resize(graph.hostFunctions.size());
    for (const RemoteBufferRecord &b : graph.remoteBuffers)
      r.remoteBuffers.emplace_back(b.elements * b.repeats * sizeOf(b.type));
    all_.push_back(&r);
  }
  prefetches_ = streamsAreAhead(plan_->options);
  if (!refused)
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
  if (device.getTarget() != plan_->graph->deviceTarget)
    throw poplar::poplar_error("load: the engine was built for another target: " +
                               describeTarget(plan_->graph->deviceTarget) + ", but the device is " + describeTarget(device.getTarget()));
  for (Replica *r : all_)
    loadReplica(*r);
  resetProfile();
  loaded_ = true;
}

void EngineCore::loadReplica(Replica &r) {
  if (dirty_)
    r.variables.clear();
  for (const LoadImage &image : plan_->images)
    runCopies(image.copies, r.variables.data(), reinterpret_cast<const char *>(image.bytes->data()));
  for (const std::size_t offset : plan_->replicaIndices)
    std::memcpy(r.variables.data() + offset, &r.index, sizeof(r.index));
  std::copy(plan_->vertexImage.begin(), plan_->vertexImage.end(), r.vertices.data());
  char *const bases[] = {r.variables.data(), r.vertices.data(), r.temporaries.data()};
  for (const Relocation &at : plan_->relocations) {
    char *const target = bases[static_cast<std::size_t>(at.memory)] + at.target;
    std::memcpy(r.vertices.data() + at.at, &target, sizeof(target));
  }
  noteImages(r);
  r.now = 0;
  r.computeSetRuns = 0;
  r.fpControl = isSet(plan_->options, "debug.floatPointOpException") ? fpInvalid | fpDivideByZero | fpOverflow : 0;
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
  const std::uint64_t begin = all_[0]->now;
  exec(plan_->programs[program], all_);
  constexpr std::size_t recorded = 1000;
  if (runRecords_.size() < recorded)
    runRecords_.push_back({program, all_[0]->now - begin});
}

void EngineCore::exec(int index, const Replicas &replicas) {
  if (index >= 0 && !replicas.empty())
    runStep(plan_->steps[static_cast<std::size_t>(index)], replicas);
}

void EngineCore::charge(const Step &step, const Replicas &replicas) {
  if (replicas[0] == all_[0]) {
    const auto index = static_cast<std::size_t>(&step - plan_->steps.data());
    ++executions_[index];
    computeCycles_[index] += costOf(step).compute;
  }
  for (Replica *r : replicas)
    r->now += costOf(step).total();
}

const StepCost &EngineCore::costOf(const Step &step) const {
  return step.kind == ProgramKind::Execute ? codeCosts_[step.id].cost() : step.cost;
}

void EngineCore::runWhile(const Step &step, bool wanted, Replicas replicas) {
  while (!replicas.empty()) {
    exec(step.children[0], replicas);
    for (const Replica *r : replicas)
      checkReads(step.reads, *r);
    charge(step, replicas);
    const auto stops = [&](const Replica *r) { return isTrue(step.element, *r) != wanted; };
    replicas.erase(std::remove_if(replicas.begin(), replicas.end(), stops), replicas.end());
    exec(step.children[1], replicas);
  }
}

// Programs that only order others.
void EngineCore::runStep(const Step &step, const Replicas &replicas) {
  switch (step.kind) {
  case ProgramKind::Sequence:
  case ProgramKind::Call:
    for (const int child : step.children)
      exec(child, replicas);
    return;
  case ProgramKind::Repeat:
    for (unsigned i = 0; i < step.count; ++i)
      exec(step.children[0], replicas);
    return;
  case ProgramKind::Loop:
    for (;;) // until something throws
      exec(step.children[0], replicas);
  case ProgramKind::RepeatWhileTrue:
    return runWhile(step, true, replicas);
  case ProgramKind::RepeatWhileFalse:
    return runWhile(step, false, replicas);
  default:
    for (Replica *r : replicas) {
      checkReads(step.reads, *r); // empty lists, unless the check is on
      if (step.kind == ProgramKind::Execute)
        runComputeSet(step, *r); // what it costs is known afterwards
    }
    charge(step, replicas);
    runCharged(step, replicas);
    for (Replica *r : replicas) {
      noteWrites(step.writes, *r);
      for (const Access &a : step.forgets)
        r->initialised[a.var].remove(a.begin, a.end);
    }
  }
}

// Programs that all replicas run together, or that send replicas different ways.
void EngineCore::runCharged(const Step &step, const Replicas &replicas) {
  switch (step.kind) {
  case ProgramKind::If:
    return runIf(step, replicas);
  case ProgramKind::Switch:
    return runSwitch(step, replicas);
  case ProgramKind::CrossReplicaCopy:
    return crossReplicaCopy(step, replicas);
  case ProgramKind::StreamToTensor:
    if (replicas.size() > 1 && plan_->graph->streams[step.id].broadcast)
      return broadcast(step, replicas);
    break;
  default:
    break;
  }
  for (Replica *r : replicas)
    runOnReplica(step, *r);
}

void EngineCore::runOnReplica(const Step &step, Replica &r) {
  switch (step.kind) {
  case ProgramKind::Copy:
    return runCopy(step, r);
  case ProgramKind::StreamToTensor:
    return streamIn(step, r);
  case ProgramKind::TensorToStream:
    return streamOut(step, r);
  case ProgramKind::RemoteToTensor:
  case ProgramKind::TensorToRemote:
    return remoteCopy(step, r);
  case ProgramKind::HostCall:
    return hostCall(step, r);
  case ProgramKind::PrintTensor:
    return print(step, r);
  case ProgramKind::Abort:
    return abort(step, r);
  case ProgramKind::AbortOnCondition:
    return isTrue(step.element, r) ? abort(step, r) : void();
  case ProgramKind::CycleStart:
    r.counterStarts[step.id] = r.now;
    return;
  case ProgramKind::CycleEnd:
    return readCounter(step, r.now - r.counterStarts[step.id], r);
  case ProgramKind::CycleStamp:
    return readCounter(step, r.now, r);
  case ProgramKind::GetFpControl:
  case ProgramKind::SetFpControl:
    return controlRegister(step, r);
  default: // Sync, CodeCopy and WriteUndef cost or forget, and do nothing else
    return;
  }
}

bool EngineCore::isTrue(const ElementRef &element, const Replica &r) {
  return readInteger(element.type, r.variables.data() + element.offset) != 0;
}

void EngineCore::runIf(const Step &step, const Replicas &replicas) {
  Replicas sides[2];
  for (Replica *r : replicas)
    sides[isTrue(step.element, *r) ? 0 : 1].push_back(r);
  exec(step.children[0], sides[0]);
  exec(step.children[1], sides[1]);
}

void EngineCore::runSwitch(const Step &step, const Replicas &replicas) {
  std::vector<Replicas> ways(step.children.size());
  for (Replica *r : replicas) {
    const auto control =
        static_cast<std::int32_t>(readInteger(step.element.type, r->variables.data() + step.element.offset));
    const auto match = std::find(step.values.begin(), step.values.end(), control);
    ways[match == step.values.end() ? 0 : static_cast<std::size_t>(match - step.values.begin()) + 1].push_back(r);
  }
  for (std::size_t i = 0; i < ways.size(); ++i)
    exec(step.children[i], ways[i]);
}

void EngineCore::runCopy(const Step &step, Replica &r) {
  if (step.staging.empty())
    return runCopies(step.copies, r.variables.data(), r.variables.data());
  runCopies(step.staging, r.temporaries.data(), r.variables.data());
  runCopies(step.copies, r.variables.data(), r.temporaries.data());
}

// values[i] is the replica that receives what replica i sends.
void EngineCore::crossReplicaCopy(const Step &step, const Replicas &replicas) {
  if (replicas.size() != all_.size())
    throw poplar::graph_replication_error("CrossReplicaCopy '" + step.name +
                                          "': only some of the replicas got here, so it would wait for ever");
  std::vector<std::vector<char>> sent;
  for (const Replica *r : replicas) {
    sent.emplace_back(step.bytes);
    runCopies(step.staging, sent.back().data(), r->variables.data());
  }
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (step.values[i] >= 0)
      runCopies(step.copies, replicas[static_cast<std::size_t>(step.values[i])]->variables.data(), sent[i].data());
}

void EngineCore::readCounter(const Step &step, std::uint64_t cycles, Replica &r) {
  constexpr std::uint64_t counterCycles = 45; // measured: two counters back to back
  r.now += counterCycles;
  cycles += counterCycles;
  runCopies(step.copies, r.variables.data(), reinterpret_cast<const char *>(&cycles));
}

void EngineCore::controlRegister(const Step &step, Replica &r) {
  if (step.kind == ProgramKind::GetFpControl) {
    std::memcpy(r.variables.data() + step.element.offset, &r.fpControl, sizeof(r.fpControl));
  } else if (step.values.empty()) {
    std::memcpy(&r.fpControl, r.variables.data() + step.element.offset, sizeof(r.fpControl));
  } else {
    r.fpControl = (r.fpControl & ~static_cast<std::uint32_t>(step.values[0])) |
                  static_cast<std::uint32_t>(step.values[1]);
  }
}

std::string EngineCore::tensorText(const Step &step, const std::string &title, const Replica &r) {
  buffer_.resize(step.argumentBytes[0]);
  runCopies(step.arguments[0], buffer_.data(), r.variables.data());
  return formatTensor(title, step.type, step.shape, buffer_.data(), step.format);
}

void EngineCore::print(const Step &step, const Replica &r) {
  const std::string who = all_.size() == 1 ? "" : "[replica " + std::to_string(r.index) + "] ";
  *printTensorStream_ << tensorText(step, who + step.text, r) << '\n' << std::flush;
}

void EngineCore::abort(const Step &step, const Replica &r) {
  std::string text = step.text.empty() ? "the program aborted" : step.text;
  if (!step.arguments.empty())
    text += "\n" + tensorText(step, "", r);
  throw poplar::application_runtime_error(text);
}

// The check of uninitialised reads

void EngineCore::checkReads(const std::vector<Access> &reads, const Replica &r) const {
  for (const Access &a : reads) {
    const auto it = r.initialised.find(a.var);
    if (it != r.initialised.end() && it->second.intersects(a.begin, a.end))
      continue;
    throw poplar::application_runtime_error("uninitialised read: elements [" + std::to_string(a.begin) + "," +
                                            std::to_string(a.end) + ") of variable '" + a.var->name +
                                            "' were never written, but are read by " + a.who);
  }
}

void EngineCore::noteWrites(const std::vector<Access> &writes, Replica &r) {
  for (const Access &a : writes)
    r.initialised[a.var].add(a.begin, a.end);
}

void EngineCore::noteImages(Replica &replica) const {
  replica.initialised.clear();
  if (!plan_->checkUninitialised)
    return;
  for (const Variable &v : plan_->graph->variables)
    if (v.isConstant)
      replica.initialised[&v].add(0, v.elements);
  for (const InitialValue &initial : plan_->graph->initialValues)
    forEachRunUnordered(*initial.tensor.view(), [&](const Run &r) {
      replica.initialised[r.var].add(r.offset, r.offset + static_cast<std::size_t>(r.stride) * (r.count - 1) + 1);
    });
}

} // namespace dace_ipu_sim
