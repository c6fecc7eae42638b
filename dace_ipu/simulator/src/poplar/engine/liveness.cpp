#include "liveness.hpp"

#include <algorithm>

namespace dace_ipu_sim {

namespace {

template <typename F> void forEachLeaf(const View &v, F &&f) {
  if (v.kind == View::Kind::Leaf)
    return f(*v.var, v.elements);
  for (const ViewPtr &part : v.parts)
    forEachLeaf(*part, f);
}

// The tensor of a control program that decides what runs.
bool decides(ProgramKind kind) {
  return kind == ProgramKind::If || kind == ProgramKind::Switch || kind == ProgramKind::RepeatWhileTrue ||
         kind == ProgramKind::RepeatWhileFalse;
}

} // namespace

Liveness::Liveness(const GraphCore &graph) : graph_(graph), uses_(graph.variables.size()) {
  scopes_.push_back({0, 0, 0, 0, false});
  for (const Variable &v : graph.variables)
    uses_[v.id].pinned = v.isConstant;
  for (const InitialValue &initial : graph.initialValues)
    pin(initial.tensor);
  for (const auto *handles : {&graph.hostReads, &graph.hostWrites})
    for (const auto &entry : *handles)
      pin(entry.second);
}

void Liveness::addProgram(const ProgramPtr &program) {
  programBegin_ = static_cast<unsigned>(leaves_.size());
  walk(program);
}

// A program that stands in several places is walked once; what it uses stays live.
void Liveness::walk(const ProgramPtr &program) {
  if (!program)
    return;
  if (!walked_.insert(program.get()).second)
    return pinAll(program);
  switch (program->kind) {
  case ProgramKind::Sequence:
    for (const ProgramPtr &child : program->children)
      walk(child);
    return;
  case ProgramKind::Call:
    return walk(graph_.functions[program->id]);
  case ProgramKind::Repeat:
    return walkIn(program->children[0], program->count == 0);
  case ProgramKind::Loop:
    return walkIn(program->children[0], false);
  default:
    leaf(*program);
    if (decides(program->kind))
      for (const ProgramPtr &child : program->children)
        walkIn(child, true);
  }
}

void Liveness::walkIn(const ProgramPtr &program, bool conditional) {
  const unsigned outer = scope_;
  scope_ = static_cast<unsigned>(scopes_.size());
  const auto begin = static_cast<unsigned>(leaves_.size());
  scopes_.push_back({outer, scopes_[outer].depth + 1, begin, begin, conditional});
  walk(program);
  scopes_[scope_].end = leaves_.empty() ? 0 : static_cast<unsigned>(leaves_.size() - 1);
  scope_ = outer;
}

void Liveness::leaf(const ProgramNode &node) {
  leaves_.push_back(&node);
  switch (node.kind) {
  case ProgramKind::Execute:
    return execute(node);
  case ProgramKind::Copy:
  case ProgramKind::CrossReplicaCopy:
    read(node.tensors[0]);
    return write(node.tensors[1]);
  case ProgramKind::RemoteToTensor:
    for (std::size_t i = 1; i < node.tensors.size(); ++i)
      read(node.tensors[i]);
    return write(node.tensors[0]);
  case ProgramKind::StreamToTensor:
  case ProgramKind::CycleEnd:
  case ProgramKind::CycleStamp:
  case ProgramKind::GetFpControl:
    return write(node.tensors[0]);
  case ProgramKind::HostCall:
    for (std::size_t i = 0; i < node.tensors.size(); ++i)
      i < node.count ? read(node.tensors[i]) : write(node.tensors[i]);
    return;
  case ProgramKind::WriteUndef:
    return; // what comes next writes anew
  default:
    for (const poplar::Tensor &t : node.tensors)
      read(t);
  }
}

void Liveness::read(const poplar::Tensor &t) {
  forEachLeaf(*t.view(), [&](const Variable &v, std::size_t) { access(v, 0, true); });
}

void Liveness::write(const poplar::Tensor &t) {
  forEachLeaf(*t.view(), [&](const Variable &v, std::size_t n) { access(v, n, false); });
}

void Liveness::execute(const ProgramNode &node) {
  for (const Access &a : accessesOf(node.id))
    access(*a.var, a.written, a.read);
  for (const poplar::Tensor &t : node.tensors)
    write(t);
}

const std::vector<Liveness::Access> &Liveness::accessesOf(unsigned computeSet) {
  const auto known = computeSets_.find(computeSet);
  if (known != computeSets_.end())
    return known->second;
  std::vector<Access> &list = computeSets_[computeSet];
  std::unordered_map<unsigned, std::size_t> at;
  for (const unsigned id : graph_.computeSets[computeSet].vertices) {
    const Vertex &vertex = graph_.vertices[id];
    for (const FieldBinding &b : vertex.bindings) {
      const std::uint8_t direction = vertex.type->abi->fields[b.field].direction;
      const auto note = [&](const Variable &v, std::size_t n) {
        const auto found = at.emplace(v.id, list.size());
        if (found.second)
          list.push_back({&v, 0, false});
        Access &a = list[found.first->second];
        a.read = a.read || direction != DACE_IPU_OUTPUT;
        a.written += direction == DACE_IPU_OUTPUT ? n : 0;
      };
      if (b.edge.valid())
        forEachLeaf(*b.edge.view(), note);
      for (const poplar::Tensor &row : b.rows)
        if (row.valid())
          forEachLeaf(*row.view(), note);
    }
  }
  return list;
}

void Liveness::access(const Variable &var, std::size_t written, bool read) {
  Use &use = uses_[var.id];
  const auto here = static_cast<unsigned>(leaves_.size() - 1);
  if (use.pinned)
    return;
  if (!use.seen) {
    use = {true, read, here, here, scope_, 0, written};
    return;
  }
  use.pinned = use.first < programBegin_ || (read && use.written < var.elements);
  use.last = here;
  use.written += written;
  leaveScopes(use);
}

// The first use and this one may lie in different scopes: the range must cover the loops that contain only one of them.
void Liveness::leaveScopes(Use &use) const {
  unsigned a = use.firstScope, b = scope_;
  while (a != b) {
    if (scopes_[a].depth >= scopes_[b].depth) {
      use.pinned = use.pinned || scopes_[a].conditional;
      use.first = std::min(use.first, scopes_[a].begin);
      a = use.firstScope = scopes_[a].parent;
    } else {
      use.lastLoop = b;
      b = scopes_[b].parent;
    }
  }
}

void Liveness::pinAll(const ProgramPtr &program) {
  if (!program || !pinnedPrograms_.insert(program.get()).second)
    return;
  for (const poplar::Tensor &t : program->tensors)
    pin(t);
  if (program->kind == ProgramKind::Execute)
    for (const Access &a : accessesOf(program->id))
      uses_[a.var->id].pinned = true;
  for (const ProgramPtr &child : program->children)
    pinAll(child);
  if (program->kind == ProgramKind::Call)
    pinAll(graph_.functions[program->id]);
}

void Liveness::pin(const poplar::Tensor &t) {
  forEachVariable(*t.view(), [&](const Variable &v) { uses_[v.id].pinned = true; });
}

std::vector<LiveRange> Liveness::finish() {
  std::vector<LiveRange> ranges(uses_.size());
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Use &u = uses_[i];
    const unsigned last = u.lastLoop ? std::max(u.last, scopes_[u.lastLoop].end) : u.last;
    if (u.seen && !u.pinned)
      ranges[i] = {false, u.first, last};
  }
  return ranges;
}

} // namespace dace_ipu_sim
