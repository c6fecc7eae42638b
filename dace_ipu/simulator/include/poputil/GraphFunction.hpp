// Functions on tensors whose code exists once, however often they are called.
#ifndef poputil_GraphFunction_hpp
#define poputil_GraphFunction_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace graphfn {

enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

/// One argument. Parameters are clones of `similarTensor`; a created argument is like what the body puts
/// in its place.
struct ArgSig {
  ArgType type;
  poplar::Tensor similarTensor;
  std::string debugName;
  ArgSig(ArgType type, poplar::Tensor tensor, std::string debugName)
      : type(type), similarTensor(std::move(tensor)), debugName(std::move(debugName)) {}
};

inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

using Signature = std::vector<ArgSig>;

/// A function without result: a call copies inputs to the parameters, calls the body, and copies outputs back.
///
/// The body is built once, in the constructor. If `inlined`, calls add it to the program instead of a Call. A call
/// throws poplibs_error if the number of arguments is wrong; created arguments, and output arguments that are not valid
/// tensors, are new tensors.
class VoidFunction {
public:
  using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  using NamedBody =
      std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &, const poplar::DebugNameAndId &)>;

  VoidFunction(VoidFunction &&fn) = default;
  VoidFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                  const poplar::DebugContext &dc = {});

private:
  void copyIn(const std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq) const;
  void copyOut(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq);

  poplar::Graph &graph;
  Signature sig;
  bool inlined;
  poplar::program::Sequence prog;
  poplar::Function func;
  std::vector<poplar::Tensor> params;
};

/// A function whose body returns the program; a call returns the program of the call.
class ProgramFunction {
public:
  ProgramFunction(poplar::Graph &graph, Signature sig,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor> &)> f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  ProgramFunction(
      poplar::Graph &graph, Signature sig,
      std::function<poplar::program::Program(std::vector<poplar::Tensor> &, const poplar::DebugNameAndId &)> f,
      bool inlined = false, const poplar::DebugContext &debugContext = {});
  poplar::program::Program operator()(std::vector<poplar::Tensor> &args, const poplar::DebugContext &debugContext = {});

private:
  VoidFunction voidFunc;
};

/// A function that returns a tensor, a new one from every call.
class TensorFunction {
public:
  TensorFunction(poplar::Graph &graph, Signature sig,
                 std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> f,
                 bool inlined = false, const poplar::DebugContext &debugContext = {});
  TensorFunction(poplar::Graph &graph, Signature sig,
                 std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                              const poplar::DebugNameAndId &)>
                     f,
                 bool inlined = false, const poplar::DebugContext &debugContext = {});
  poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

private:
  VoidFunction voidFunc;
};

} // namespace graphfn
} // namespace poputil

#endif
