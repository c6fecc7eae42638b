#include "../core/program_node.hpp"
#include "../core/graph_core.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>

namespace poplar {
namespace program {

using dace_ipu_sim::ProgramKind;
using dace_ipu_sim::ProgramNode;
using dace_ipu_sim::ProgramPtr;

namespace {

std::shared_ptr<ProgramNode> makeNode(ProgramKind kind, const DebugContext &dc) {
  auto n = std::make_shared<ProgramNode>();
  n->kind = kind;
  n->name = dc.getPathName();
  return n;
}

void requireValid(const Tensor &t, const char *program) {
  if (!t.valid())
    throw poplar_error(std::string(program) + ": the tensor is not valid (default constructed or moved from)");
}

void requirePredicate(const Tensor &t, const char *program) {
  requireValid(t, program);
  const Type type = t.elementType();
  if (t.numElements() != 1 || (type != BOOL && type != INT && type != UNSIGNED_INT))
    throw control_program_error(std::string(program) + ": needs one element of type bool, int or unsigned int, not " +
                                t.getDebugStr());
}

ProgramPtr loop(ProgramKind kind, const char *name, const Program &cond, const Tensor &predicate, const Program &body,
                const DebugContext &dc) {
  requirePredicate(predicate, name);
  auto n = makeNode(kind, dc);
  n->children = {cond.node(), body.node()};
  n->tensors = {predicate};
  return n;
}

void addCase(ProgramNode &n, std::int32_t value, const ProgramPtr &body) {
  if (std::find(n.values.begin(), n.values.end(), value) != n.values.end())
    throw control_program_error("Switch '" + n.name + "': there are two programs for case " + std::to_string(value));
  n.values.push_back(value);
  n.children.push_back(body);
}

ProgramPtr switchNode(const Tensor &control, const Switch::Cases &cases, const ProgramPtr &fallback,
                      const DebugContext &dc) {
  requireValid(control, "Switch");
  if (control.numElements() != 1 || (control.elementType() != INT && control.elementType() != UNSIGNED_INT))
    throw control_program_error("Switch: needs one element of type int or unsigned int, not " + control.getDebugStr());
  auto n = makeNode(ProgramKind::Switch, dc);
  n->tensors = {control};
  n->children = {fallback};
  for (const auto &c : cases)
    addCase(*n, c.first, c.second.node());
  return n;
}

ProgramPtr unreachable(const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Abort, dc);
  n->text = "Switch '" + dc.getPathName() + "': no case for this value";
  return n;
}

ProgramPtr copyNode(const Tensor &src, const Tensor &dst, const DebugContext &dc) {
  requireValid(src, "Copy");
  requireValid(dst, "Copy");
  if (src.elementType() != dst.elementType())
    throw graph_program_compilation_error("Copy '" + dc.getPathName() + "' from " + src.getDebugStr() + " to " +
                                          dst.getDebugStr() + ": different element types");
  if (src.numElements() != dst.numElements())
    throw graph_program_compilation_error("Copy '" + dc.getPathName() + "' from " + src.getDebugStr() + " to " +
                                          dst.getDebugStr() + ": different numbers of elements");
  auto n = makeNode(ProgramKind::Copy, dc);
  n->tensors = {src, dst};
  return n;
}

// Every replica that the map names sends to one; one that nobody sends to keeps its destination.
ProgramPtr crossReplicaNode(const Tensor &src, const Tensor &dst, const std::map<unsigned, unsigned> &replicaMap,
                            const DebugContext &dc) {
  auto n = std::make_shared<ProgramNode>(*copyNode(src, dst, dc));
  n->kind = ProgramKind::CrossReplicaCopy;
  std::vector<bool> receives(replicaMap.size());
  n->values.assign(replicaMap.size(), -1);
  for (const auto &entry : replicaMap) {
    if (entry.first >= replicaMap.size() || entry.second >= replicaMap.size() || receives[entry.second])
      throw graph_replication_error("CrossReplicaCopy '" + dc.getPathName() +
                                    "': the map must send from every replica, once to each");
    receives[entry.second] = true;
    n->values[entry.first] = static_cast<std::int32_t>(entry.second);
  }
  return n;
}

ProgramPtr codeNode(const FunctionBuffer &buffer, const Function &function, const DebugContext &dc) {
  if (buffer.function() != function)
    throw graph_program_compilation_error("Copy '" + dc.getPathName() + "': the buffer is for another function");
  auto n = makeNode(ProgramKind::CodeCopy, dc);
  n->id = function.getId();
  return n;
}

ProgramPtr streamNode(ProgramKind kind, const DataStream &stream, const Tensor &t, const DebugContext &dc) {
  requireValid(t, "Copy");
  const bool toDevice = kind == ProgramKind::StreamToTensor;
  const std::string what =
      "Copy '" + dc.getPathName() + "' between stream '" + stream.handle() + "' and " + t.getDebugStr();
  if (stream.getId() == ~0u)
    throw graph_program_compilation_error(what + ": the stream is not valid");
  if (stream.isHostToDevice() != toDevice)
    throw graph_program_compilation_error(what + ": the stream goes the other way");
  if (stream.elementType() != t.elementType())
    throw graph_program_compilation_error(what + ": the stream has element type " + stream.elementType().toString());
  if (stream.numElements() != t.numElements())
    throw graph_program_compilation_error(what + ": the stream has " + std::to_string(stream.numElements()) +
                                          " elements");
  auto n = makeNode(kind, dc);
  n->id = stream.getId();
  n->tensors = {t};
  return n;
}

ProgramPtr remoteNode(ProgramKind kind, const RemoteBuffer &buffer, const Tensor &t, const Tensor *offset,
                      const DebugContext &dc) {
  requireValid(t, "Copy");
  const std::string what =
      "Copy '" + dc.getPathName() + "' between remote buffer '" + buffer.handle() + "' and " + t.getDebugStr();
  const std::size_t blocks = offset ? offset->numElements() : 1;
  if (buffer.elementType() != t.elementType())
    throw graph_program_compilation_error(what + ": the buffer has element type " + buffer.elementType().toString());
  if (buffer.numElements() * blocks != t.numElements())
    throw graph_program_compilation_error(what + ": needs " + std::to_string(blocks) + " times " +
                                          std::to_string(buffer.numElements()) + " elements");
  auto n = makeNode(kind, dc);
  n->id = buffer.getId();
  n->tensors = {t};
  if (offset) {
    if (offset->elementType() != UNSIGNED_INT && offset->elementType() != INT)
      throw graph_program_compilation_error(what + ": offsets must be unsigned int, not " + offset->getDebugStr());
    n->tensors.push_back(*offset);
  } else if (buffer.getRepeats() != 1) {
    throw graph_program_compilation_error(what + ": the buffer has several repeats, so the copy needs an offset");
  }
  return n;
}

ProgramPtr tensorNode(ProgramKind kind, const char *name, const Tensor &t, const DebugContext &dc) {
  requireValid(t, name);
  auto n = makeNode(kind, dc);
  n->tensors = {t};
  return n;
}

ProgramPtr printNode(const std::string &title, const Tensor &t, const PrintTensorFmt &fmt, const DebugContext &dc) {
  requireValid(t, "PrintTensor");
  auto n = makeNode(ProgramKind::PrintTensor, dc);
  n->text = title;
  n->tensors = {t};
  n->format = fmt;
  return n;
}

ProgramPtr abortNode(ProgramKind kind, const std::string &text, const DebugContext &dc) {
  auto n = makeNode(kind, dc);
  n->text = text;
  return n;
}

} // namespace

Program::Program() = default;
bool Program::isEmpty() const { return !node_ || (node_->kind == ProgramKind::Sequence && node_->children.empty()); }

Sequence::Sequence(const DebugContext &dc) : Program(makeNode(ProgramKind::Sequence, dc)) {}

Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &dc) : Sequence(dc) {
  for (const Program &p : programs)
    add(p);
}

Sequence::Sequence(const std::vector<Program> &programs, const DebugContext &dc) : Sequence(dc) {
  for (const Program &p : programs)
    add(p);
}

void Sequence::add(const Program &program) {
  if (!program.node())
    return;
  // Held before the check below, so that adding a sequence to itself copies it first.
  const ProgramPtr child = program.node();
  if (node_.use_count() != 1)
    node_ = std::make_shared<ProgramNode>(*node_);
  std::const_pointer_cast<ProgramNode>(node_)->children.push_back(child);
}

Execute::Execute(ComputeSet cs, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Execute, dc);
  n->id = cs.getId();
  node_ = n;
}

Execute::Execute(ComputeSet cs, Tensor result, const DebugContext &dc) {
  requireValid(result, "Execute");
  if (result.elementType() != BOOL || result.numElements() != 1)
    throw control_program_error("Execute: the result must be one element of type bool, not " + result.getDebugStr());
  auto n = makeNode(ProgramKind::Execute, dc);
  n->id = cs.getId();
  n->tensors = {result};
  node_ = n;
}

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Repeat, dc);
  n->count = count;
  n->children = {body.node()};
  node_ = n;
}

Loop::Loop(const Program &body, const DebugContext &dc) {
  if (body.isEmpty())
    throw control_program_error("Loop '" + dc.getPathName() + "': an empty program would be repeated for ever");
  auto n = makeNode(ProgramKind::Loop, dc);
  n->children = {body.node()};
  node_ = n;
}

RepeatWhileTrue::RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body, const DebugContext &dc)
    : Program(loop(ProgramKind::RepeatWhileTrue, "RepeatWhileTrue", cond, predicate, body, dc)) {}

RepeatWhileFalse::RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body, const DebugContext &dc)
    : Program(loop(ProgramKind::RepeatWhileFalse, "RepeatWhileFalse", cond, predicate, body, dc)) {}

If::If(Tensor predicate, const Program &trueBody, const Program &falseBody, const DebugContext &dc) {
  requirePredicate(predicate, "If");
  auto n = makeNode(ProgramKind::If, dc);
  n->children = {trueBody.node(), falseBody.node()};
  n->tensors = {predicate};
  node_ = n;
}

Switch::Switch(Tensor control, const DebugContext &dc) : Program(switchNode(control, {}, nullptr, dc)) {}
Switch::Switch(Tensor control, const Program &defaultCase, const DebugContext &dc)
    : Program(switchNode(control, {}, defaultCase.node(), dc)) {}
Switch::Switch(Tensor control, const Cases &cases, const DebugContext &dc)
    : Program(switchNode(control, cases, nullptr, dc)) {}
Switch::Switch(Tensor control, const Cases &cases, const Program &defaultCase, const DebugContext &dc)
    : Program(switchNode(control, cases, defaultCase.node(), dc)) {}

Switch Switch::switchWithBoundsChecking(Tensor control, const Cases &cases, const DebugContext &dc) {
  return Switch(control, cases, Program(unreachable(dc)), dc);
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext &dc) {
  return Switch(control, Program(unreachable(dc)), dc);
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const Cases &cases, const DebugContext &dc) {
  return Switch(control, cases, Program(unreachable(dc)), dc);
}

Switch &Switch::add(std::int32_t value, const Program &body) {
  const ProgramPtr child = body.node();
  auto n = std::make_shared<ProgramNode>(*node_);
  addCase(*n, value, child);
  node_ = n;
  return *this;
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &dc) : Program(copyNode(src, dst, dc)) {}
Copy::Copy(Tensor src, Tensor dst, const DebugContext &dc) : Program(copyNode(src, dst, dc)) {}
Copy::Copy(Tensor src, Tensor dst, const char *name) : Program(copyNode(src, dst, name)) {}
Copy::Copy(const DataStream &stream, Tensor dst, bool, const DebugContext &dc)
    : Program(streamNode(ProgramKind::StreamToTensor, stream, dst, dc)) {}
Copy::Copy(const DataStream &stream, Tensor dst, const DebugContext &dc)
    : Program(streamNode(ProgramKind::StreamToTensor, stream, dst, dc)) {}
Copy::Copy(const DataStream &stream, Tensor dst, const char *name)
    : Program(streamNode(ProgramKind::StreamToTensor, stream, dst, name)) {}
Copy::Copy(Tensor src, const DataStream &stream, bool, const DebugContext &dc)
    : Program(streamNode(ProgramKind::TensorToStream, stream, src, dc)) {}
Copy::Copy(Tensor src, const DataStream &stream, const DebugContext &dc)
    : Program(streamNode(ProgramKind::TensorToStream, stream, src, dc)) {}
Copy::Copy(Tensor src, const DataStream &stream, const char *name)
    : Program(streamNode(ProgramKind::TensorToStream, stream, src, name)) {}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &dc)
    : Program(remoteNode(ProgramKind::RemoteToTensor, buffer, dst, nullptr, dc)) {}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset, const DebugContext &dc)
    : Program(remoteNode(ProgramKind::RemoteToTensor, buffer, dst, &offset, dc)) {}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &dc)
    : Program(remoteNode(ProgramKind::TensorToRemote, buffer, src, nullptr, dc)) {}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset, const DebugContext &dc)
    : Program(remoteNode(ProgramKind::TensorToRemote, buffer, src, &offset, dc)) {}

WriteUndef::WriteUndef(Tensor t, const DebugContext &dc)
    : Program(tensorNode(ProgramKind::WriteUndef, "WriteUndef", t, dc)) {}

Sync::Sync(SyncType, const DebugContext &dc) : Program(makeNode(ProgramKind::Sync, dc)) {}

Call::Call(Function f, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Call, dc);
  n->id = f.getId();
  node_ = n;
}

Call::Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::HostCall, dc);
  n->id = f.getId();
  n->count = static_cast<unsigned>(inputs.size());
  n->tensors = inputs.cloneAsVector();
  n->tensors.insert(n->tensors.end(), outputs.begin(), outputs.end());
  for (const Tensor &t : n->tensors)
    requireValid(t, "Call");
  node_ = n;
}

PrintTensor::PrintTensor(Tensor t, const DebugContext &dc) : Program(printNode(dc.getPathName(), t, {}, dc)) {}
PrintTensor::PrintTensor(Tensor t, const PrintTensorFmt &fmt, const DebugContext &dc)
    : Program(printNode(dc.getPathName(), t, fmt, dc)) {}
PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext &dc) : Program(printNode(title, t, {}, dc)) {}
PrintTensor::PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &fmt, const DebugContext &dc)
    : Program(printNode(title, t, fmt, dc)) {}

ErrorProgram::ErrorProgram(StringRef message, Tensor debugTensor, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Abort, dc);
  n->text = message;
  if (debugTensor.valid())
    n->tensors = {debugTensor};
  node_ = n;
}

Abort::Abort(const DebugContext &dc) : Program(abortNode(ProgramKind::Abort, dc.getPathName(), dc)) {}
Abort::Abort(const std::string &message, const DebugContext &dc)
    : Program(abortNode(ProgramKind::Abort, message, dc)) {}

AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext &dc)
    : AbortOnCondition(predicate, dc.getPathName(), dc) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string &message, const DebugContext &dc) {
  requirePredicate(predicate, "AbortOnCondition");
  auto n = makeNode(ProgramKind::AbortOnCondition, dc);
  n->text = message;
  n->tensors = {predicate};
  node_ = n;
}

Block::Block(const Program &program, const DebugContext &dc) {
  auto n = makeNode(ProgramKind::Sequence, dc);
  if (program.node())
    n->children = {program.node()};
  node_ = n;
}

Copy::Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &dc)
    : Program(codeNode(buffer, function, dc)) {}
Copy::Copy(const Function &function, const FunctionBuffer &buffer, const DebugContext &dc)
    : Program(codeNode(buffer, function, dc)) {}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext &dc)
    : Program(crossReplicaNode(src, dst, replicaMap, dc)) {}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t, const DebugContext &dc) {
  requireValid(t, "AssumeEqualAcrossReplicas");
  node_ = makeNode(ProgramKind::Sequence, dc);
}

namespace {

void dumpNode(const dace_ipu_sim::GraphCore &graph, const ProgramPtr &n, std::ostream &os, std::size_t depth) {
  if (!n)
    return;
  os << std::string(2 * depth, ' ') << dace_ipu_sim::kindName(n->kind);
  if (!n->name.empty())
    os << " '" << n->name << "'";
  if (n->kind == ProgramKind::Execute && n->id < graph.computeSets.size())
    os << " of compute set '" << graph.computeSets[n->id].name << "'";
  if (n->kind == ProgramKind::Repeat)
    os << " " << n->count << " times";
  for (const Tensor &t : n->tensors)
    os << " " << t.getDebugStr();
  os << '\n';
  for (const ProgramPtr &child : n->children)
    dumpNode(graph, child, os, depth + 1);
}

} // namespace

void dumpProgram(const Graph &graph, const Program &program, std::ostream &os) {
  dumpNode(graph.core(), program.node(), os, 0);
}

} // namespace program
} // namespace poplar
