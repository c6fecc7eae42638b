// popops::map: an expression as one codelet, or its operations one after another.
#include "element_ops.hpp"
#include "expr_types.hpp"
#include "fused_map.hpp"

#include <poputil/Broadcast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

std::size_t largestShare(const Graph::TileToTensorMapping &mapping) {
  std::size_t most = 0;
  for (const auto &intervals : mapping) {
    std::size_t here = 0;
    for (const Interval &i : intervals)
      here += i.size();
    most = std::max(most, here);
  }
  return most;
}

std::vector<std::size_t> commonShape(const std::vector<Tensor> &inputs) {
  Tensor all = inputs[0];
  for (Tensor t : inputs)
    poputil::broadcastToMatch(all, t);
  return all.shape();
}

struct Options {
  bool generate = true, force = false;
  explicit Options(const OptionFlags &flags) {
    bool ignored;
    const auto flag = poplibs::OptionHandler::createWithBool(ignored);
    poplibs::OptionSpec({{"enableVectorBroadcastOptimisations", flag},
                         {"enableGenerateCodelet", poplibs::OptionHandler::createWithBool(generate)},
                         {"forceGenerateCodelet", poplibs::OptionHandler::createWithBool(force)},
                         {"enableExpressionOptimizations", flag}})
        .parse(flags);
  }
};

/// Builds the program of an expression.
class Mapper {
public:
  Mapper(Graph &graph, const std::vector<Tensor> &inputs, program::Sequence &prog, const DebugContext &dc)
      : graph_(graph), types_(inputs, dc.getPathName()), prog_(prog), dc_(dc) {}

  /// Computes into `out`, or into a new tensor if that is not valid.
  Tensor run(const expr::Expr &e, const Tensor &out) {
    out_ = out;
    const Type own = types_.typeOf(e);
    return finish(evaluate(e, own != Type() ? own : out.valid() ? out.elementType() : types_.leafType(e), true));
  }

private:
  // A tensor, and whether it may be overwritten.
  struct Value {
    Tensor tensor;
    bool isTemporary;
  };

  // `type` is what constants become that stand beside no tensor; `isRoot` may write to the output.
  Value evaluate(const expr::Expr &e, const Type &type, bool isRoot) {
    switch (e.kind()) {
    case expr::Expr::Kind::Const:
      return constant(*e.getAs<expr::Const>(), type);
    case expr::Expr::Kind::PlaceHolder:
      return {types_.input(*e.getAs<expr::PlaceHolder>()), false};
    case expr::Expr::Kind::Cast:
      return castOf(*e.getAs<expr::Cast>(), isRoot);
    case expr::Expr::Kind::Unary:
      return unary(*e.getAs<expr::UnaryOp>(), type, isRoot);
    case expr::Expr::Kind::Binary:
      return binary(*e.getAs<expr::BinaryOp>(), type, isRoot);
    default:
      return ternary(*e.getAs<expr::TernaryOp>(), type, isRoot);
    }
  }

  Value constant(const expr::Const &c, const Type &type) {
    Tensor t;
    if (c.getTypeTraits().isFloat)
      t = graph_.addConstant(type, {}, c.getDataAsDouble(), {dc_, "Const"});
    else if (c.getTypeTraits().isSigned)
      t = graph_.addConstant(type, {}, static_cast<long long>(c.getDataForUnsignedIntegral()), {dc_, "Const"});
    else
      t = graph_.addConstant(type, {}, static_cast<unsigned long long>(c.getDataForUnsignedIntegral()),
                             {dc_, "Const"});
    graph_.setTileMapping(t, 0);
    return {t, false};
  }

  // Where an operation writes: the output, an operand that nobody needs any more, or a new tensor.
  Tensor destination(const std::vector<Value> &operands, const Type &type, bool isRoot) {
    std::vector<Tensor> tensors;
    for (const Value &v : operands)
      tensors.push_back(v.tensor);
    if (isRoot && out_.valid())
      return out_;
    const std::vector<std::size_t> shape = commonShape(tensors);
    for (const Value &v : operands)
      if (v.isTemporary && v.tensor.elementType() == type && v.tensor.shape() == shape)
        return v.tensor;
    return createOutputForElementWiseOp(graph_, tensors, type, {dc_, "Out"});
  }

  Value castOf(const expr::Cast &c, bool isRoot) {
    const expr::Expr &inner = c.getLHS();
    const Value in = evaluate(inner, types_.operandType(inner, types_.leafType(inner)), false);
    if (in.tensor.elementType() == c.getRHSType())
      return in;
    const Tensor out = destination({in}, c.getRHSType(), isRoot);
    Tensor whole = in.tensor;
    poputil::broadcastToMatch(whole, out.shape());
    castWithOutput(graph_, whole, out, prog_, {dc_});
    return {out, true};
  }

  Value unary(const expr::UnaryOp &u, const Type &type, bool isRoot) {
    const Value in = evaluate(u.getArg(), types_.operandType(u.getArg(), type), false);
    const Tensor out = destination({in}, resultType(u.getOpType(), in.tensor.elementType(), dc_.getPathName()), isRoot);
    unaryOp(graph_, u.getOpType(), in.tensor, out, prog_, {dc_});
    return {out, true};
  }

  Value binary(const expr::BinaryOp &b, const Type &outer, bool isRoot) {
    const Type own = types_.operandType(b, outer);
    const Value x = evaluate(b.getLHS(), own, false);
    const Value y = evaluate(b.getRHS(), own, false);
    const Type type =
        resultType(b.getOpType(), x.tensor.elementType(), y.tensor.elementType(), dc_.getPathName());
    const Tensor out = destination({x, y}, type, isRoot);
    binaryOp(graph_, b.getOpType(), x.tensor, y.tensor, out, prog_, {dc_});
    return {out, true};
  }

  Value ternary(const expr::TernaryOp &t, const Type &outer, bool isRoot) {
    const Type type = types_.operandType(t, outer);
    const Value x = evaluate(t.getArg0(), type, false);
    const Value y = evaluate(t.getArg1(), type, false);
    const Value z = evaluate(t.getArg2(), isSelect(t) ? BOOL : type, false);
    const Type result = resultType(t.getOpType(), x.tensor.elementType(), y.tensor.elementType(),
                                   z.tensor.elementType(), dc_.getPathName());
    const Tensor out = destination({x, y, z}, result, isRoot);
    ternaryOp(graph_, t.getOpType(), x.tensor, y.tensor, z.tensor, out, prog_, {dc_});
    return {out, true};
  }

  // The value of an expression without operation must be copied.
  Tensor finish(const Value &value) {
    if (value.isTemporary && (!out_.valid() || value.tensor == out_))
      return value.tensor;
    const Tensor out =
        out_.valid() ? out_ : createOutputForElementWiseOp(graph_, {value.tensor}, value.tensor.elementType(), {dc_});
    Tensor whole = value.tensor;
    poputil::broadcastToMatch(whole, out.shape());
    if (whole.elementType() != out.elementType())
      throw poplibs_error("popops::map (" + dc_.getPathName() + "): the result has type " +
                          whole.elementType().toString() + ", the output " + out.elementType().toString());
    prog_.add(program::Copy(whole, out, false, {dc_}));
    return out;
  }

  Graph &graph_;
  const ExpressionTypes types_;
  program::Sequence &prog_;
  DebugContext dc_;
  Tensor out_;
};

Tensor run(Graph &graph, const expr::Expr &e, const std::vector<Tensor> &inputs, const Tensor &out,
           program::Sequence &prog, const DebugContext &dc, const OptionFlags &flags) {
  const Options options(flags);
  if (options.generate && (options.force || numOperations(e) > 1)) {
    const FusedMap fused(graph, e, inputs, out, dc);
    if (fused.isPossible())
      return fused.addTo(prog);
  }
  return Mapper(graph, inputs, prog, dc).run(e, out);
}

} // namespace

Tensor createOutputForElementWiseOp(Graph &graph, const std::vector<Tensor> &inputs, const Type &outputType,
                                    const DebugContext &debugContext) {
  if (inputs.empty())
    throw poplibs_error("createOutputForElementWiseOp (" + debugContext.getPathName() + "): no inputs");
  const std::vector<std::size_t> shape = commonShape(inputs);
  const Tensor *best = nullptr;
  std::size_t bestShare = 0;
  for (const Tensor &t : inputs) {
    if (t.shape() != shape || !t.isParallelWriteable())
      continue;
    const std::size_t share = largestShare(graph.getTileMapping(t));
    if (!best || share < bestShare) {
      best = &t;
      bestShare = share;
    }
  }
  if (best)
    return graph.clone(outputType, *best, debugContext);
  const Tensor out = graph.addVariable(outputType, shape, debugContext);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

Tensor map(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts, program::Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  return run(graph, expr, ts, Tensor(), prog, debugContext, options);
}

std::vector<Tensor> map(Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<Tensor> &ts,
                        program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const expr::Any &e : exprs)
    results.push_back(map(graph, static_cast<const expr::Expr &>(e), ts, prog, debugContext, options));
  return results;
}

void mapInPlace(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts, program::Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  if (ts.empty())
    throw poplibs_error("popops::mapInPlace (" + debugContext.getPathName() + "): no tensor");
  mapWithOutput(graph, expr, ts, ts[0], prog, debugContext, options);
}

void mapInPlace(Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<Tensor> &ts,
                program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  if (exprs.size() > ts.size())
    throw poplibs_error("popops::mapInPlace (" + debugContext.getPathName() + "): " + std::to_string(exprs.size()) +
                        " expressions for " + std::to_string(ts.size()) + " tensors");
  mapWithOutput(graph, exprs, ts, std::vector<Tensor>(ts.begin(), ts.begin() + exprs.size()), prog, debugContext,
                options);
}

void mapWithOutput(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts, const Tensor &out,
                   program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  run(graph, expr, ts, out, prog, debugContext, options);
}

void mapWithOutput(Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<Tensor> &ts,
                   const std::vector<Tensor> &outs, program::Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  if (exprs.size() != outs.size())
    throw poplibs_error("popops::mapWithOutput (" + debugContext.getPathName() + "): " + std::to_string(exprs.size()) +
                        " expressions for " + std::to_string(outs.size()) + " outputs");
  if (exprs.size() == 1)
    return mapWithOutput(graph, static_cast<const expr::Expr &>(exprs[0]), ts, outs[0], prog, debugContext, options);
  // All are computed before the first output is written: an output may be an input of a later expression.
  const std::vector<Tensor> results = map(graph, exprs, ts, prog, debugContext, options);
  for (std::size_t i = 0; i < outs.size(); ++i)
    prog.add(program::Copy(results[i], outs[i], false, debugContext));
}

namespace {

Tensor castTo(Graph &graph, const Tensor &t, const Type &type, program::Sequence &prog, const DebugContext &dc) {
  return t.elementType() == type ? t : cast(graph, t, type, prog, dc);
}

} // namespace

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const Tensor &epsilon, program::Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  return castTo(graph, varianceToInvStdDev(graph, src, epsilon, prog, debugContext), dstType, prog, debugContext);
}

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const float epsilon, program::Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  return castTo(graph, varianceToInvStdDev(graph, src, epsilon, prog, debugContext), dstType, prog, debugContext);
}

Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const Tensor &epsilon, program::Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  return castTo(graph, invStdDevToVariance(graph, src, epsilon, prog, debugContext), dstType, prog, debugContext);
}

Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const float epsilon, program::Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  return castTo(graph, invStdDevToVariance(graph, src, epsilon, prog, debugContext), dstType, prog, debugContext);
}

} // namespace popops
