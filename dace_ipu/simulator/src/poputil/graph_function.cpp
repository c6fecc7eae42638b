#include <poputil/GraphFunction.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {
namespace graphfn {

using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;

VoidFunction::VoidFunction(poplar::Graph &graph, Signature signature, NamedBody f, bool inlined,
                           const poplar::DebugContext &debugContext)
    : graph(graph), sig(std::move(signature)), inlined(inlined) {
  for (const ArgSig &arg : sig)
    params.push_back(arg.type == CreatedArg ? Tensor()
                                            : graph.clone(arg.similarTensor, {debugContext, arg.debugName}));
  f(params, prog, poplar::DebugNameAndId("", {}, debugContext.getPathName()));
  if (!inlined)
    func = graph.addFunction(prog);
}

VoidFunction::VoidFunction(poplar::Graph &graph, Signature signature, Body f, bool inlined,
                           const poplar::DebugContext &debugContext)
    : VoidFunction(
          graph, std::move(signature),
          [&f](std::vector<Tensor> &args, Sequence &seq, const poplar::DebugNameAndId &) { f(args, seq); }, inlined,
          debugContext) {}

void VoidFunction::copyIn(const std::vector<Tensor> &args, Sequence &seq) const {
  for (std::size_t i = 0; i < sig.size(); ++i)
    if (sig[i].type == InputArg || sig[i].type == InOutArg)
      seq.add(Copy(args[i], params[i]));
}

void VoidFunction::copyOut(std::vector<Tensor> &args, Sequence &seq) {
  for (std::size_t i = 0; i < sig.size(); ++i) {
    if (sig[i].type == CreatedArg || (sig[i].type == OutputArg && !args[i].valid()))
      args[i] = graph.clone(params[i], sig[i].debugName);
    if (sig[i].type != InputArg)
      seq.add(Copy(params[i], args[i]));
  }
}

void VoidFunction::operator()(std::vector<Tensor> &args, Sequence &seq, const poplar::DebugContext &dc) {
  if (args.size() != sig.size())
    throw poplibs_error("graph function (" + dc.getPathName() + "): " + std::to_string(sig.size()) +
                        " arguments expected, " + std::to_string(args.size()) + " given");
  copyIn(args, seq);
  if (inlined)
    seq.add(prog);
  else
    seq.add(poplar::program::Call(func, dc));
  copyOut(args, seq);
}

ProgramFunction::ProgramFunction(poplar::Graph &graph, Signature sig,
                                 std::function<Program(std::vector<Tensor> &, const poplar::DebugNameAndId &)> f,
                                 bool inlined, const poplar::DebugContext &debugContext)
    : voidFunc(
          graph, std::move(sig),
          VoidFunction::NamedBody([&f](std::vector<Tensor> &args, Sequence &seq, const poplar::DebugNameAndId &name) {
            seq.add(f(args, name));
          }),
          inlined, debugContext) {}

ProgramFunction::ProgramFunction(poplar::Graph &graph, Signature sig, std::function<Program(std::vector<Tensor> &)> f,
                                 bool inlined, const poplar::DebugContext &debugContext)
    : voidFunc(graph, std::move(sig),
               VoidFunction::Body([&f](std::vector<Tensor> &args, Sequence &seq) { seq.add(f(args)); }), inlined,
               debugContext) {}

Program ProgramFunction::operator()(std::vector<Tensor> &args, const poplar::DebugContext &debugContext) {
  Sequence seq;
  voidFunc(args, seq, debugContext);
  return seq;
}

namespace {

// The result of a TensorFunction is one more argument, created by the body.
Signature withResult(Signature sig) {
  sig.push_back(created());
  return sig;
}

} // namespace

TensorFunction::TensorFunction(
    poplar::Graph &graph, Signature sig,
    std::function<Tensor(std::vector<Tensor> &, Sequence &, const poplar::DebugNameAndId &)> f, bool inlined,
    const poplar::DebugContext &debugContext)
    : voidFunc(
          graph, withResult(std::move(sig)),
          VoidFunction::NamedBody([&f](std::vector<Tensor> &args, Sequence &seq, const poplar::DebugNameAndId &name) {
            std::vector<Tensor> own(args.begin(), args.end() - 1);
            const Tensor result = f(own, seq, name);
            own.push_back(result);
            args = own;
          }),
          inlined, debugContext) {}

TensorFunction::TensorFunction(poplar::Graph &graph, Signature sig,
                               std::function<Tensor(std::vector<Tensor> &, Sequence &)> f, bool inlined,
                               const poplar::DebugContext &debugContext)
    : TensorFunction(
          graph, std::move(sig),
          std::function<Tensor(std::vector<Tensor> &, Sequence &, const poplar::DebugNameAndId &)>(
              [&f](std::vector<Tensor> &args, Sequence &seq, const poplar::DebugNameAndId &) { return f(args, seq); }),
          inlined, debugContext) {}

Tensor TensorFunction::operator()(std::vector<Tensor> &args, Sequence &prog, const poplar::DebugContext &debugContext) {
  args.emplace_back();
  voidFunc(args, prog, debugContext);
  const Tensor result = args.back();
  args.pop_back();
  return result;
}

} // namespace graphfn
} // namespace poputil
