// Planner: control programs become steps.
#include "../core/types.hpp"
#include "planner.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace dace_ipu_sim {

namespace {

std::string firstVariable(const poplar::Tensor &t) {
  std::string name;
  forEachVariable(*t.view(), [&](const Variable &v) {
    if (name.empty())
      name = v.name;
  });
  return name;
}

bool overlap(const RunList &a, std::size_t aBytes, const RunList &b, std::size_t bBytes) {
  const auto hull = [](const RunList &l, std::size_t size) {
    std::size_t low = npos, high = 0;
    for (const RunList::Entry &e : l.entries) {
      const std::size_t last = e.offset + static_cast<std::size_t>(e.step * static_cast<std::ptrdiff_t>(e.count - 1));
      low = std::min({low, e.offset, last});
      high = std::max({high, e.offset + size, last + size});
    }
    return std::make_pair(low, high);
  };
  const auto x = hull(a, aBytes), y = hull(b, bBytes);
  return x.first < y.second && y.first < x.second;
}

} // namespace

void chargeExchangeTo(StepCost &cost, const ExchangeCost &exchange, const Machine &machine) {
  if (!exchange.happens())
    return;
  cost.exchange += exchange.cycles;
  cost.globalExchange += exchange.globalCycles;
  cost.bytesExchanged += exchange.bytes;
  cost.bytesGlobal += exchange.globalBytes;
  cost.sync += exchange.globalBytes > 0 ? machine.globalSyncCycles : machine.syncCycles;
}

ExchangeRecord recordOf(const ExchangeCost &exchange, const char *when) {
  ExchangeRecord r;
  r.when = when;
  r.cycles = exchange.cycles;
  r.bytes = exchange.bytes;
  r.fragments = exchange.fragments;
  r.globalCycles = exchange.globalCycles;
  r.globalBytes = exchange.globalBytes;
  r.numPairs = exchange.numPairs;
  r.pairs = exchange.pairs;
  const auto load = [&](std::size_t t) { return std::max(exchange.tiles[t].received, exchange.tiles[t].sent); };
  for (std::size_t t = 1; t < exchange.tiles.size(); ++t)
    if (load(t) > load(r.busiestTile))
      r.busiestTile = static_cast<unsigned>(t);
  r.busiestReceived = exchange.tiles[r.busiestTile].received;
  r.busiestSent = exchange.tiles[r.busiestTile].sent;
  return r;
}

std::string Planner::nameOfStep(const ProgramNode &node) const {
  if (!node.name.empty())
    return node.name;
  switch (node.kind) {
  case ProgramKind::Execute:
    return graph_->computeSets[node.id].name;
  case ProgramKind::Copy:
    return firstVariable(node.tensors[0]) + " -> " + firstVariable(node.tensors[1]);
  case ProgramKind::StreamToTensor:
    return graph_->streams[node.id].handle + " -> " + firstVariable(node.tensors[0]);
  case ProgramKind::TensorToStream:
    return firstVariable(node.tensors[0]) + " -> " + graph_->streams[node.id].handle;
  case ProgramKind::RemoteToTensor:
    return graph_->remoteBuffers[node.id].handle + " -> " + firstVariable(node.tensors[0]);
  case ProgramKind::TensorToRemote:
    return firstVariable(node.tensors[0]) + " -> " + graph_->remoteBuffers[node.id].handle;
  case ProgramKind::HostCall:
    return graph_->hostFunctions[node.id].handle;
  default:
    return kindName(node.kind);
  }
}

int Planner::newStep(const ProgramNode &node) {
  Step step;
  step.kind = node.kind;
  step.id = node.id;
  step.count = node.count;
  step.values = node.values;
  step.text = node.text;
  step.format = node.format;
  plan_->steps.push_back(std::move(step));
  return static_cast<int>(plan_->steps.size() - 1);
}

int Planner::planStep(const ProgramPtr &program) {
  if (!program)
    return -1;
  const auto known = steps_.find(program.get());
  if (known != steps_.end())
    return known->second;
  const int index = newStep(*program);
  steps_[program.get()] = index;
  std::vector<int> children;
  for (const ProgramPtr &child : program->children)
    children.push_back(planStep(child));
  if (program->kind == ProgramKind::Call)
    children.push_back(planStep(graph_->functions[program->id]));
  // Filled in only now: planning the children moves the steps.
  Step step = std::move(plan_->steps[static_cast<std::size_t>(index)]);
  step.children = std::move(children);
  planBody(*program, step);
  step.name = nameOfStep(*program);
  plan_->steps[static_cast<std::size_t>(index)] = std::move(step);
  return index;
}

void Planner::planBody(const ProgramNode &node, Step &step) {
  switch (node.kind) {
  case ProgramKind::Sequence:
  case ProgramKind::Repeat:
  case ProgramKind::Loop:
  case ProgramKind::Call:
    return;
  case ProgramKind::Execute:
    return planExecute(node, step);
  case ProgramKind::RepeatWhileTrue:
  case ProgramKind::RepeatWhileFalse:
  case ProgramKind::If:
  case ProgramKind::Switch:
  case ProgramKind::AbortOnCondition:
    return planDecision(node, step);
  case ProgramKind::Copy:
    return planCopy(node, step);
  case ProgramKind::StreamToTensor:
  case ProgramKind::TensorToStream:
    return planStream(node, step);
  case ProgramKind::RemoteToTensor:
  case ProgramKind::TensorToRemote:
    return planRemote(node, step);
  case ProgramKind::HostCall:
    return planHostCall(node, step);
  case ProgramKind::PrintTensor:
  case ProgramKind::Abort:
    return planTensorArgument(node, step);
  case ProgramKind::CrossReplicaCopy:
    return planCrossReplicaCopy(node, step);
  case ProgramKind::CodeCopy:
    return planCodeCopy(node, step);
  case ProgramKind::GetFpControl:
  case ProgramKind::SetFpControl:
    return planFpControl(node, step);
  case ProgramKind::WriteUndef:
    return addWrites(node.tensors[0], step.forgets);
  case ProgramKind::Sync:
    step.cost.sync = machine_.syncCycles;
    step.profiled = true;
    return;
  case ProgramKind::CycleStart:
    plan_->cycleCounters = std::max<std::size_t>(plan_->cycleCounters, node.id + 1);
    return;
  case ProgramKind::CycleEnd:
  case ProgramKind::CycleStamp:
    step.copies = zipCopies(runsOf(node.tensors[0]), RunList::linear(0, 2, 4), 4);
    return addWrites(node.tensors[0], step.writes);
  }
}

void Planner::planExecute(const ProgramNode &node, Step &step) {
  step.id = static_cast<unsigned>(computeSetPlans_[node.id]);
  step.cost = plan_->computeSets[step.id].cost;
  step.exchanges = plan_->computeSets[step.id].exchanges;
  step.profiled = true;
  if (node.tensors.empty())
    return;
  step.element = elementOf(node.tensors[0]);
  addWrites(node.tensors[0], step.writes);
}

// All tiles wait for the value that decides.
void Planner::planDecision(const ProgramNode &node, Step &step) {
  step.element = elementOf(node.tensors[0]);
  step.cost.sync = machine_.syncCycles;
  step.profiled = true;
  addReads(node.tensors[0], std::string(kindName(node.kind)) + " '" + node.name + "'", step.reads);
}

void Planner::planCopy(const ProgramNode &node, Step &step) {
  const poplar::Tensor &src = node.tensors[0];
  const poplar::Tensor &dst = node.tensors[1];
  if (!dst.isParallelWriteable())
    throw poplar::graph_connection_error("Copy '" + node.name + "' from " + src.getDebugStr() + " to " +
                                         dst.getDebugStr() +
                                         ": the destination contains constants or the same element twice");
  const std::size_t size = sizeOf(src.elementType());
  const RunList from = runsOf(src);
  const RunList to = runsOf(dst);
  step.profiled = true;
  if (src.numElements() > 0 && overlap(from, size, to, size)) {
    const std::size_t bytes = src.numElements() * size;
    plan_->temporaryBytes = std::max(plan_->temporaryBytes, bytes + 64);
    const RunList packed = RunList::linear(0, src.numElements(), size);
    step.staging = zipCopies(packed, from, size);
    step.copies = zipCopies(to, packed, size);
  } else {
    step.copies = zipCopies(to, from, size);
  }
  addReads(src, "Copy '" + nameOfStep(node) + "'", step.reads);
  addWrites(dst, step.writes);
  chargeCopy(src, dst, step);
}

// Every replica packs what it sends, and unpacks what it receives.
void Planner::planCrossReplicaCopy(const ProgramNode &node, Step &step) {
  const poplar::Tensor &src = node.tensors[0];
  const poplar::Tensor &dst = node.tensors[1];
  if (!dst.isParallelWriteable())
    throw poplar::graph_connection_error("CrossReplicaCopy '" + node.name + "' to " + dst.getDebugStr() +
                                         ": the destination contains constants or the same element twice");
  if (node.values.size() != graph_->replicas)
    throw poplar::graph_replication_error("CrossReplicaCopy '" + node.name + "': names " +
                                          std::to_string(node.values.size()) + " replicas of " +
                                          std::to_string(graph_->replicas));
  const std::size_t size = sizeOf(src.elementType());
  const RunList packed = RunList::linear(0, src.numElements(), size);
  step.bytes = src.numElements() * size;
  step.staging = zipCopies(packed, runsOf(src), size);
  step.copies = zipCopies(runsOf(dst), packed, size);
  step.profiled = true;
  const double bytesPerSecond = machine_.linksAlong * machine_.linkBitsPerSecond / 8;
  const double seconds = machine_.linkLatency + static_cast<double>(step.bytes) / bytesPerSecond;
  step.cost.exchange = static_cast<std::uint64_t>(seconds * machine_.clock);
  step.cost.globalExchange = step.cost.exchange;
  step.cost.bytesExchanged = step.bytes;
  step.cost.sync = machine_.globalSyncCycles;
  addReads(src, "CrossReplicaCopy '" + node.name + "'", step.reads);
  addWrites(dst, step.writes);
}

// The code of the vertices that a function runs, on every tile that runs them.
void Planner::planCodeCopy(const ProgramNode &node, Step &step) {
  std::set<std::pair<const VertexType *, unsigned>> code;
  std::vector<ProgramPtr> open = {graph_->functions.at(node.id)};
  while (!open.empty()) {
    const ProgramPtr program = open.back();
    open.pop_back();
    if (!program)
      continue;
    open.insert(open.end(), program->children.begin(), program->children.end());
    if (program->kind == ProgramKind::Call)
      open.push_back(graph_->functions.at(program->id));
    if (program->kind == ProgramKind::Execute)
      for (const unsigned v : graph_->computeSets[program->id].vertices)
        code.insert({graph_->vertices[v].type, graph_->vertices[v].tile});
  }
  constexpr std::size_t codeBytes = 512; // of a vertex type on a tile, as the plan of the memory has it
  step.cost = hostCost(code.size() * codeBytes);
  step.profiled = true;
}

void Planner::planFpControl(const ProgramNode &node, Step &step) {
  if (node.tensors.empty())
    return;
  step.element = elementOf(node.tensors[0]);
  if (node.kind == ProgramKind::GetFpControl)
    addWrites(node.tensors[0], step.writes);
  else
    addReads(node.tensors[0], "setFloatingPointBehaviour '" + node.name + "'", step.reads);
}

void Planner::planStream(const ProgramNode &node, Step &step) {
  const poplar::Tensor &t = node.tensors[0];
  const bool toDevice = node.kind == ProgramKind::StreamToTensor;
  const std::size_t size = sizeOf(t.elementType());
  const RunList host = RunList::linear(0, t.numElements(), size);
  step.bytes = t.numElements() * size;
  chargeHostCopy(t, toDevice, step);
  step.profiled = true;
  if (toDevice && !t.isParallelWriteable())
    throw poplar::graph_connection_error("Copy '" + node.name + "' from stream '" + graph_->streams[node.id].handle +
                                         "': " + t.getDebugStr() + " contains constants or the same element twice");
  step.copies = toDevice ? zipCopies(runsOf(t), host, size) : zipCopies(host, runsOf(t), size);
  if (toDevice)
    addWrites(t, step.writes);
  else
    addReads(t, "Copy to stream '" + graph_->streams[node.id].handle + "'", step.reads);
}

// The link to the host, then the exchange between the tiles at its end and those that hold the tensor.
void Planner::chargeHostCopy(const poplar::Tensor &t, bool toDevice, Step &step) {
  const std::size_t size = sizeOf(t.elementType());
  step.cost = hostCost(t.numElements() * size);
  ExchangePhase phase(machine_);
  forEachRun(*t.view(), [&](const Run &r) { phase.host(r, size, toDevice); });
  const ExchangeCost exchange = phase.finish();
  if (!exchange.happens())
    return;
  step.cost.exchange = exchange.cycles;
  for (const TileTraffic &traffic : exchange.tiles)
    step.cost.tilesUsed += traffic.received > 0 || traffic.sent > 0;
  countHostCopy(exchange);
  step.exchanges.push_back(recordOf(exchange, "host"));
  step.exchanges.back().bytes = t.numElements() * size;
}

void Planner::planRemote(const ProgramNode &node, Step &step) {
  const poplar::Tensor t = node.tensors[0].flatten();
  const bool toDevice = node.kind == ProgramKind::RemoteToTensor;
  const std::size_t size = sizeOf(t.elementType());
  const std::size_t block = graph_->remoteBuffers[node.id].elements;
  step.bytes = block * size;
  chargeHostCopy(t, toDevice, step);
  step.profiled = true;
  if (toDevice && !t.isParallelWriteable())
    throw poplar::graph_connection_error("Copy '" + node.name + "' from a remote buffer: " + t.getDebugStr() +
                                         " contains constants or the same element twice");
  for (std::size_t i = 0; i < t.numElements() / std::max<std::size_t>(1, block); ++i) {
    const RunList host = RunList::linear(0, block, size);
    const RunList device = runsOf(t.slice(i * block, (i + 1) * block));
    step.arguments.push_back(toDevice ? zipCopies(device, host, size) : zipCopies(host, device, size));
  }
  if (node.tensors.size() > 1) {
    const poplar::Tensor offsets = node.tensors[1].flatten();
    for (std::size_t i = 0; i < offsets.numElements(); ++i)
      step.offsets.push_back(elementOf(offsets[i]));
    addReads(offsets, "Copy '" + nameOfStep(node) + "'", step.reads);
  }
  if (toDevice)
    addWrites(t, step.writes);
  else
    addReads(t, "Copy '" + nameOfStep(node) + "'", step.reads);
}

void Planner::planHostCall(const ProgramNode &node, Step &step) {
  const HostFunctionRecord &f = graph_->hostFunctions.at(node.id);
  if (f.inputs.size() != node.count || f.inputs.size() + f.outputs.size() != node.tensors.size())
    throw poplar::control_program_error("Call of host function '" + f.handle + "': wrong number of arguments");
  std::size_t total = 0;
  for (std::size_t i = 0; i < node.tensors.size(); ++i) {
    const poplar::Tensor &t = node.tensors[i];
    const bool input = i < node.count;
    const poplar::HostFunctionArgument &wanted = input ? f.inputs[i] : f.outputs[i - node.count];
    if (t.elementType() != std::get<0>(wanted) || t.numElements() != std::get<1>(wanted))
      throw poplar::control_program_error("Call of host function '" + f.handle + "': argument " + std::to_string(i) +
                                          " is " + t.getDebugStr() + ", but was declared as " +
                                          std::get<0>(wanted).toString() + " with " +
                                          std::to_string(std::get<1>(wanted)) + " elements");
    const std::size_t size = sizeOf(t.elementType());
    const RunList host = RunList::linear(0, t.numElements(), size);
    step.arguments.push_back(input ? zipCopies(host, runsOf(t), size) : zipCopies(runsOf(t), host, size));
    step.argumentBytes.push_back(t.numElements() * size);
    total += step.argumentBytes.back();
    if (input)
      addReads(t, "host function '" + f.handle + "'", step.reads);
    else
      addWrites(t, step.writes);
  }
  step.cost = hostCost(total);
  step.profiled = true;
}

void Planner::planTensorArgument(const ProgramNode &node, Step &step) {
  if (node.tensors.empty())
    return;
  const poplar::Tensor &t = node.tensors[0];
  const std::size_t size = sizeOf(t.elementType());
  step.type = t.elementType();
  step.shape = t.shape();
  step.arguments.push_back(zipCopies(RunList::linear(0, t.numElements(), size), runsOf(t), size));
  step.argumentBytes.push_back(t.numElements() * size);
}

// Pieces between tiles are exchanged; pieces that stay on their tile are copied there.
void Planner::chargeCopy(const poplar::Tensor &src, const poplar::Tensor &dst, Step &step) {
  CopyTraffic traffic(machine_, sizeOf(src.elementType()), plan_->listedPairs);
  traffic.addViews(*src.view(), *dst.view());
  const ExchangeCost exchange = traffic.phase().finish();
  StepCost &cost = step.cost;
  chargeExchangeTo(cost, exchange, machine_);
  if (exchange.happens()) {
    countExchange(exchange);
    step.exchanges.push_back(recordOf(exchange, "copy"));
  }
  std::uint64_t busy = 0;
  for (std::size_t t = 0; t < traffic.localBytes().size(); ++t) {
    const std::uint64_t bytes = traffic.localBytes()[t];
    const std::uint64_t cycles = traffic.localCycles(static_cast<unsigned>(t));
    busy += cycles;
    cost.compute = std::max(cost.compute, cycles);
    cost.bytesRearranged += bytes;
    cost.tilesUsed += cycles > 0 || exchange.tiles[t].received > 0 || exchange.tiles[t].sent > 0;
    if (bytes > 0)
      countArrangement(static_cast<unsigned>(t), 1);
    const std::uint64_t staged = step.staging.empty() ? 0 : bytes + exchange.tiles[t].received;
    if (staged > 0)
      step.temporaries.emplace_back(static_cast<unsigned>(t), staged);
  }
  cost.rearrange = cost.postArrange = cost.compute;
  cost.sync += cost.compute > 0 ? machine_.computeSyncCycles() : 0;
  if (cost.compute > 0)
    cost.balance = static_cast<double>(busy) / (static_cast<double>(cost.compute) * machine_.numTiles());
}

} // namespace dace_ipu_sim
