// Planner: which variables the programs use, where they lie, and what they hold at load.
#include "planner.hpp"
#include "../core/types.hpp"
#include "engine_options.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dace_ipu_sim {

namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t n) { return (n + alignment - 1) / alignment * alignment; }

bool checkByDefault() {
  const char *text = std::getenv("DACE_IPU_CHECK");
  return text && std::string(text) == "1";
}

void requireMapped(const Variable &v) {
  std::size_t next = 0;
  for (const Region &r : v.mapping.regions()) {
    if (r.begin > next)
      break;
    next = r.end;
  }
  if (next == v.elements)
    return;
  throw poplar::invalid_tile_mapping(std::string(v.isConstant ? "constant '" : "variable '") + v.name +
                                     "' is used by a program, but element " + std::to_string(next) + " of its " +
                                     std::to_string(v.elements) + " elements has no tile mapping");
}

GraphExtent extentOf(const GraphCore &g) {
  GraphExtent e;
  e.variables = g.variables.size(), e.vertices = g.vertices.size(), e.computeSets = g.computeSets.size();
  e.initialValues = g.initialValues.size(), e.streams = g.streams.size(), e.remoteBuffers = g.remoteBuffers.size();
  e.hostFunctions = g.hostFunctions.size(), e.functions = g.functions.size();
  for (const auto &entry : g.hostReads)
    e.hostReads.push_back(entry.first);
  for (const auto &entry : g.hostWrites)
    e.hostWrites.push_back(entry.first);
  return e;
}

} // namespace

Planner::Planner(const std::shared_ptr<GraphCore> &graph, const poplar::OptionFlags &options)
    : graph_(graph), machine_(graph->target.machine()), plan_(std::make_shared<ExecutablePlan>()),
      tally_(machine_.numTiles()), interleaved_(graph->variables.size()) {
  plan_->graph = graph;
  plan_->options = engineOptions(options);
  plan_->checkVertices = isSet(plan_->options, "debug.checkVertices", checkByDefault());
  plan_->checkUninitialised =
      isSet(plan_->options, "debug.checkUninitialised", checkByDefault()) || plan_->checkVertices;
  plan_->listedPairs = numberOf(plan_->options, "profiler.exchangePairs", 0);
  plan_->codeFirst = codeComesFirst(plan_->options, graph->target.getTargetType());
}

std::shared_ptr<const ExecutablePlan> Planner::run(const std::vector<ProgramPtr> &programs) {
  plan_->sources = programs;
  plan_->extent = extentOf(*graph_);
  plan_->variableOffsets.assign(graph_->variables.size(), npos);
  computeSetPlans_.assign(graph_->computeSets.size(), -1);
  for (const ProgramPtr &p : programs)
    useProgram(p);
  for (const auto &entry : graph_->hostReads)
    useTensor(entry.second);
  for (const auto &entry : graph_->hostWrites)
    useTensor(entry.second);
  for (const unsigned id : usedComputeSets_)
    plan_->computeSets.push_back(ComputeSetPlanner(*this, id).run());
  for (const ProgramPtr &p : programs)
    plan_->programs.push_back(planStep(p));
  planImages();
  planHostTensors();
  planMemory(programs);
  return plan_;
}

// All that goes through programs is recursive; the limit keeps it within any thread's stack.
void Planner::useProgram(const ProgramPtr &program, unsigned depth) {
  constexpr unsigned deepest = 1000;
  if (!program || !seenPrograms_.insert(program.get()).second)
    return;
  if (depth > deepest)
    throw poplar::graph_program_compilation_error("programs are nested more than " + std::to_string(deepest) +
                                                  " deep: add to one Sequence instead of nesting them");
  for (const poplar::Tensor &t : program->tensors)
    useTensor(t);
  for (const ProgramPtr &child : program->children)
    useProgram(child, depth + 1);
  if (program->kind == ProgramKind::Execute)
    useComputeSet(program->id);
  if (program->kind == ProgramKind::Call) {
    if (program->id >= graph_->functions.size())
      throw poplar::control_program_error("Call '" + program->name + "': the function is not of this graph");
    useProgram(graph_->functions[program->id], depth + 1);
  }
}

void Planner::useComputeSet(unsigned id) {
  if (id >= graph_->computeSets.size())
    throw poplar::control_program_error("Execute: the compute set is not of this graph");
  if (computeSetPlans_[id] >= 0)
    return;
  computeSetPlans_[id] = static_cast<int>(usedComputeSets_.size());
  usedComputeSets_.push_back(id);
  for (const unsigned v : graph_->computeSets[id].vertices)
    for (const FieldBinding &b : graph_->vertices[v].bindings) {
      if (b.edge.valid())
        useTensor(b.edge);
      for (const poplar::Tensor &row : b.rows)
        if (row.valid())
          useTensor(row);
    }
}

void Planner::useTensor(const poplar::Tensor &t) {
  const View &v = *t.view();
  if (v.kind == View::Kind::Leaf)
    return useVariable(*v.var);
  forEachVariable(v, [&](const Variable &var) { useVariable(var); });
}

void Planner::useVariable(const Variable &v) {
  std::size_t &offset = plan_->variableOffsets.at(v.id);
  if (&graph_->variables[v.id] != &v)
    throw poplar::graph_connection_error("variable '" + v.name + "' belongs to another graph");
  if (offset != npos)
    return;
  requireMapped(v);
  offset = plan_->variableBytes;
  // Room behind every variable: vectorised codelets may read a little beyond their edge.
  plan_->variableBytes = aligned(offset + v.elements * sizeOf(v.type) + alignment);
  ++plan_->numVariables;
}

RunList Planner::runsOf(const poplar::Tensor &t) const {
  return RunList::ofView(*t.view(), sizeOf(t.elementType()), plan_->variableOffsets);
}

ElementRef Planner::elementOf(const poplar::Tensor &t) const {
  return {runsOf(t).entries.at(0).offset, t.elementType()};
}

void Planner::addReads(const poplar::Tensor &t, const std::string &who, std::vector<Access> &out) const {
  if (!plan_->checkUninitialised)
    return;
  forEachRunUnordered(*t.view(), [&](const Run &r) {
    const std::size_t last = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(r.count - 1));
    out.push_back({r.var, r.offset, last + 1, who});
  });
}

void Planner::addWrites(const poplar::Tensor &t, std::vector<Access> &out) const { addReads(t, "", out); }

StepCost Planner::hostCost(std::size_t bytes) const {
  StepCost cost;
  cost.bytesHost = bytes;
  cost.host = static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / machine_.hostBytesPerCycle()));
  cost.sync = machine_.hostSyncs * machine_.syncCycles;
  return cost;
}

void Planner::planImages() {
  for (const Variable &v : graph_->variables) {
    const std::size_t offset = plan_->variableOffsets[v.id];
    if (v.isConstant && offset != npos && !v.bytes.empty())
      plan_->images.push_back({&v.bytes, {{offset, 0, 0, 0, 1, v.bytes.size()}}});
    if (v.isReplicaIndex && offset != npos)
      plan_->replicaIndices.push_back(offset);
  }
  for (const InitialValue &initial : graph_->initialValues) {
    bool used = true;
    forEachVariable(*initial.tensor.view(),
                    [&](const Variable &v) { used = used && plan_->variableOffsets[v.id] != npos; });
    const std::size_t size = sizeOf(initial.tensor.elementType());
    if (used)
      plan_->images.push_back(
          {&initial.bytes,
           zipCopies(runsOf(initial.tensor), RunList::linear(0, initial.tensor.numElements(), size), size)});
  }
}

void Planner::planHostTensors() {
  for (const bool reading : {true, false})
    for (const auto &entry : reading ? graph_->hostReads : graph_->hostWrites) {
      const poplar::Tensor &t = entry.second;
      const std::size_t size = sizeOf(t.elementType());
      const RunList host = RunList::linear(0, t.numElements(), size);
      HostTensor h;
      h.handle = entry.first;
      h.bytes = t.numElements() * size;
      h.copies = reading ? zipCopies(host, runsOf(t), size) : zipCopies(runsOf(t), host, size);
      h.cost = hostCost(h.bytes);
      addReads(t, reading ? "host read '" + entry.first + "'" : "", h.accesses);
      (reading ? plan_->hostReads : plan_->hostWrites).push_back(std::move(h));
    }
}

std::shared_ptr<const ExecutablePlan> makePlan(const std::shared_ptr<GraphCore> &graph,
                                               const std::vector<ProgramPtr> &programs,
                                               const poplar::OptionFlags &options) {
  return Planner(graph, options).run(programs);
}

} // namespace dace_ipu_sim
