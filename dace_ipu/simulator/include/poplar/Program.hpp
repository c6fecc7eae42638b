// Control programs: what the device does, step by step.
#ifndef poplar_Program_hpp
#define poplar_Program_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/FunctionBuffer.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dace_ipu_sim {
struct ProgramNode;
using ProgramPtr = std::shared_ptr<const ProgramNode>;
} // namespace dace_ipu_sim

namespace poplar {

class Graph;

namespace program {

/// Base of all programs and itself a value: a Sequence copied into a Program keeps what it held then.
class Program {
public:
  Program();
  bool isEmpty() const;

  /// For the library itself.
  explicit Program(dace_ipu_sim::ProgramPtr node) : node_(std::move(node)) {}
  const dace_ipu_sim::ProgramPtr &node() const { return node_; }

protected:
  dace_ipu_sim::ProgramPtr node_;
};

/// Programs one after another.
class Sequence : public Program {
  template <typename T>
  using IsProgram = std::is_base_of<Program, typename std::remove_cv<typename std::remove_reference<T>::type>::type>;
  template <typename T>
  using IsSequence = std::is_base_of<Sequence, typename std::remove_cv<typename std::remove_reference<T>::type>::type>;

public:
  Sequence(const DebugContext &debugContext = {});
  Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
  Sequence(const std::vector<Program> &programs, const DebugContext &debugContext = {});
  /// The form of older SDKs: Sequence(a, b, c).
  template <typename First, typename... Rest,
            typename = typename std::enable_if<IsProgram<First>::value &&
                                               !(sizeof...(Rest) == 0 && IsSequence<First>::value)>::type>
  explicit Sequence(const First &first, const Rest &...rest) : Sequence() {
    addAll(first, rest...);
  }

  /// Appends a program. Costs O(1) as long as this Sequence was not copied since the last call.
  void add(const Program &program);

private:
  void addAll() {}
  template <typename First, typename... Rest> void addAll(const First &first, const Rest &...rest) {
    add(first);
    addAll(rest...);
  }
};

/// Runs a compute set.
class Execute : public Program {
public:
  Execute(ComputeSet cs, const DebugContext &debugContext = {});
  /// Also stores whether all vertices returned true in a single BOOL element.
  Execute(ComputeSet cs, Tensor result, const DebugContext &debugContext = {});
};

/// Runs a program `count` times.
class Repeat : public Program {
public:
  Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};

/// Runs a program again and again, until something in it throws: an Abort, a stream callback, a host function.
class Loop : public Program {
public:
  explicit Loop(const Program &body, const DebugContext &debugContext = {});
};

/// Runs `cond`, stops if `predicate` is zero, runs `body`, and again.
class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body, const DebugContext &debugContext = {});
};

/// Runs `cond`, stops if `predicate` is not zero, runs `body`, and again.
class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body, const DebugContext &debugContext = {});
};

/// Runs one of two programs, by a single BOOL, INT or UNSIGNED_INT element.
class If : public Program {
public:
  If(Tensor predicate, const Program &trueBody, const Program &falseBody, const DebugContext &debugContext = {});
};

/// Runs the program whose number a single INT or UNSIGNED_INT element holds, else the default. Two programs for one
/// number are a control_program_error.
class Switch : public Program {
public:
  using Cases = std::vector<std::pair<std::int32_t, Program>>;
  Switch(Tensor control, const DebugContext &debugContext = {});
  Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const Program &defaultCase, const DebugContext &debugContext = {});
  static Switch switchWithBoundsChecking(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext = {});
  static Switch switchWithUnreachableDefault(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  Switch &add(std::int32_t value, const Program &body);
};

/// Moves data: between tensors, from or to a host stream, from or to a remote buffer. Number and type of the elements
/// must match (graph_program_compilation_error at Engine construction).
class Copy : public Program {
public:
  Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext &debugContext = {});
  Copy(Tensor src, Tensor dst, const DebugContext &debugContext);
  Copy(Tensor src, Tensor dst, const char *name);
  Copy(const DataStream &stream, Tensor dst, bool optimiseMemory = false, const DebugContext &debugContext = {});
  Copy(const DataStream &stream, Tensor dst, const DebugContext &debugContext);
  Copy(const DataStream &stream, Tensor dst, const char *name);
  Copy(Tensor src, const DataStream &stream, bool optimiseMemory = false, const DebugContext &debugContext = {});
  Copy(Tensor src, const DataStream &stream, const DebugContext &debugContext);
  Copy(Tensor src, const DataStream &stream, const char *name);
  Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset, const DebugContext &debugContext = {});
  /// Brings the code of a function to the tiles, or takes it away.
  Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &debugContext = {});
  Copy(const Function &function, const FunctionBuffer &buffer, const DebugContext &debugContext = {});
};

/// A hint that a tensor's content is no longer needed; it counts as never written afterwards.
class WriteUndef : public Program {
public:
  WriteUndef(Tensor t, const DebugContext &debugContext = {});
};

/// Waits for all tiles.
class Sync : public Program {
public:
  explicit Sync(SyncType type, const DebugContext &debugContext = {});
};

/// Calls a function of the graph, or a function on the host.
class Call : public Program {
public:
  Call(Function f, const DebugContext &debugContext = {});
  Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &debugContext = {});
};

/// Prints a tensor to stderr, or where Engine::setPrintTensorStream says.
class PrintTensor : public Program {
public:
  PrintTensor(Tensor t, const DebugContext &debugContext = {});
  PrintTensor(Tensor t, const PrintTensorFmt &fmt, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &fmt, const DebugContext &debugContext = {});
};

/// Stops the program with an exception that holds the message and the tensor.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor debugTensor, const DebugContext &debugContext = {});
};

/// Stops the program with application_runtime_error.
class Abort : public Program {
public:
  Abort(const DebugContext &debugContext = {});
  Abort(const std::string &message, const DebugContext &debugContext = {});
  Abort(const char *message, const DebugContext &debugContext = {}) : Abort(std::string(message), debugContext) {}
};

/// Stops the program with application_runtime_error if a single element is not zero.
class AbortOnCondition : public Program {
public:
  AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string &message, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const char *message, const DebugContext &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
};

/// A barrier for profiling; runs the program.
class Block : public Program {
public:
  Block(const Program &program, const DebugContext &debugContext = {});
};

/// Every replica sends `src` to the replica that the map names for it, into `dst` there. All replicas must get here
/// (graph_replication_error at run).
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   const DebugContext &debugContext = {});
};

/// A promise to the compiler that the replicas hold the same values; not checked.
class AssumeEqualAcrossReplicas : public Program {
public:
  AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext = {});
};

/// Prints the program as an indented tree.
void dumpProgram(const Graph &graph, const Program &program, std::ostream &os);

} // namespace program
} // namespace poplar

#endif
