// Operations on every element.
//
// Inputs are broadcast by the rules of NumPy and must have one element type (a condition of `select` is BOOL); the
// result has it too, but that of comparisons, logical operations and isNaN, isInf, isFinite is BOOL. Constants are
// converted to the type of the tensor beside them. Integer division truncates, `rem` has the sign of the dividend, and
// both give 0 for a divisor of 0; shiftRight fills with zeros, shiftRightSignExtend with the sign; `round` rounds halves
// away from zero, `nearbyint` to even. Operations in half compute in float and round once.
//
// All functions throw poputil::poplibs_error with the debug name, types and shapes if these do not fit, and
// poplar::invalid_option for unknown options.
#ifndef popops_ElementWise_hpp
#define popops_ElementWise_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Expr.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace popops {

/// The value of an expression for every element; input i is `_i`. Also with output: `out` has the shape of the result;
/// in place: the result replaces ts[0]. With several expressions all read the inputs from before; in place, result i
/// replaces ts[i].
///
/// An expression of several operations on tensors of one shape, or of one element, becomes a codelet, compiled when it is
/// first met; of others every operation is a compute set. Options: enableGenerateCodelet (true), forceGenerateCodelet
/// (false: a codelet also for one operation), enableVectorBroadcastOptimisations and enableExpressionOptimizations (no
/// effect); they do not change the result.
poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                   const poplar::Tensor &out, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<poplar::Tensor> &ts,
                   const std::vector<poplar::Tensor> &outs, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

// The parameters that every function ends with.
#define POPOPS_PROG                                                                                                    \
  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}
#define POPOPS_CONST template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>

// One operation by its name.
inline poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t, POPOPS_PROG) {
  return map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                          POPOPS_PROG) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c, POPOPS_PROG) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t, POPOPS_PROG) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                       POPOPS_PROG) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                       const poplar::Tensor &c, POPOPS_PROG) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &in,
                          const poplar::Tensor &out, POPOPS_PROG) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {in}, out, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                          const poplar::Tensor &out, POPOPS_PROG) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c, const poplar::Tensor &out, POPOPS_PROG) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog, debugContext, options);
}

#define POPOPS_UNARY(NAME, OP)                                                                                         \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A, POPOPS_PROG) {                             \
    return map(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                                          \
  }                                                                                                                    \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A, POPOPS_PROG) {                              \
    mapInPlace(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                                          \
  }                                                                                                                    \
  inline void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &out,               \
                               POPOPS_PROG) {                                                                          \
    mapWithOutput(graph, expr::UnaryOpType::OP, A, out, prog, debugContext, options);                                  \
  }
POPOPS_UNARY(abs, ABSOLUTE)
POPOPS_UNARY(asin, ASIN)
POPOPS_UNARY(bitwiseNot, BITWISE_NOT)
POPOPS_UNARY(cbrt, CBRT)
POPOPS_UNARY(ceil, CEIL)
POPOPS_UNARY(cos, COS)
POPOPS_UNARY(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_UNARY(erf, ERF)
POPOPS_UNARY(exp, EXPONENT)
POPOPS_UNARY(exp2, EXPONENT2)
POPOPS_UNARY(expm1, EXPONENT_MINUS_ONE)
POPOPS_UNARY(floor, FLOOR)
POPOPS_UNARY(geluErf, GELU_ERF)
POPOPS_UNARY(inv, INVERSE)
POPOPS_UNARY(isFinite, IS_FINITE)
POPOPS_UNARY(isInf, IS_INF)
POPOPS_UNARY(isNaN, IS_NAN)
POPOPS_UNARY(log, LOGARITHM)
POPOPS_UNARY(log1p, LOGARITHM_ONE_PLUS)
POPOPS_UNARY(logicalNot, LOGICAL_NOT)
POPOPS_UNARY(nearbyint, NEARBY_INT)
POPOPS_UNARY(neg, NEGATE)
POPOPS_UNARY(popcount, POPCOUNT)
POPOPS_UNARY(relu, RELU)
POPOPS_UNARY(round, ROUND)
POPOPS_UNARY(rsqrt, RSQRT)
POPOPS_UNARY(sigmoid, SIGMOID)
POPOPS_UNARY(signum, SIGNUM)
POPOPS_UNARY(sin, SIN)
POPOPS_UNARY(sqrt, SQRT)
POPOPS_UNARY(square, SQUARE)
POPOPS_UNARY(tan, TAN)
POPOPS_UNARY(tanh, TANH)
POPOPS_UNARY(trunc, TRUNC)
#undef POPOPS_UNARY

#define POPOPS_BINARY(NAME, OP)                                                                                        \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, POPOPS_PROG) {    \
    return map(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                                      \
  }                                                                                                                    \
  POPOPS_CONST poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A, T B, POPOPS_PROG) {                  \
    return map(graph, expr::BinaryOp(expr::BinaryOpType::OP, expr::_1, expr::Const(B)), {A}, prog, debugContext,       \
               options);                                                                                               \
  }                                                                                                                    \
  POPOPS_CONST poplar::Tensor NAME(poplar::Graph &graph, T A, const poplar::Tensor &B, POPOPS_PROG) {                  \
    return map(graph, expr::BinaryOp(expr::BinaryOpType::OP, expr::Const(A), expr::_1), {B}, prog, debugContext,       \
               options);                                                                                               \
  }                                                                                                                    \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, POPOPS_PROG) {     \
    mapInPlace(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                                      \
  }                                                                                                                    \
  POPOPS_CONST void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A, T B, POPOPS_PROG) {                   \
    mapInPlace(graph, expr::BinaryOp(expr::BinaryOpType::OP, expr::_1, expr::Const(B)), {A}, prog, debugContext,       \
               options);                                                                                               \
  }                                                                                                                    \
  inline void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                 \
                               const poplar::Tensor &out, POPOPS_PROG) {                                               \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, B, out, prog, debugContext, options);                              \
  }                                                                                                                    \
  POPOPS_CONST void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, T B, const poplar::Tensor &out,    \
                                     POPOPS_PROG) {                                                                    \
    mapWithOutput(graph, expr::BinaryOp(expr::BinaryOpType::OP, expr::_1, expr::Const(B)), {A}, out, prog,             \
                  debugContext, options);                                                                              \
  }                                                                                                                    \
  POPOPS_CONST void NAME##WithOutput(poplar::Graph &graph, T A, const poplar::Tensor &B, const poplar::Tensor &out,    \
                                     POPOPS_PROG) {                                                                    \
    mapWithOutput(graph, expr::BinaryOp(expr::BinaryOpType::OP, expr::Const(A), expr::_1), {B}, out, prog,             \
                  debugContext, options);                                                                              \
  }
POPOPS_BINARY(add, ADD)
POPOPS_BINARY(atan2, ATAN2)
POPOPS_BINARY(bitwiseAnd, BITWISE_AND)
POPOPS_BINARY(bitwiseOr, BITWISE_OR)
POPOPS_BINARY(bitwiseXnor, BITWISE_XNOR)
POPOPS_BINARY(bitwiseXor, BITWISE_XOR)
POPOPS_BINARY(div, DIVIDE)
POPOPS_BINARY(eq, EQUAL)
POPOPS_BINARY(gt, GREATER_THAN)
POPOPS_BINARY(gteq, GREATER_THAN_EQUAL)
POPOPS_BINARY(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_BINARY(logicalAnd, LOGICAL_AND)
POPOPS_BINARY(logicalOr, LOGICAL_OR)
POPOPS_BINARY(lt, LESS_THAN)
POPOPS_BINARY(lteq, LESS_THAN_EQUAL)
POPOPS_BINARY(max, MAXIMUM)
POPOPS_BINARY(min, MINIMUM)
POPOPS_BINARY(mul, MULTIPLY)
POPOPS_BINARY(neq, NOT_EQUAL)
POPOPS_BINARY(pow, POWER)
POPOPS_BINARY(rem, REMAINDER)
POPOPS_BINARY(shiftLeft, SHIFT_LEFT)
POPOPS_BINARY(shiftRight, SHIFT_RIGHT)
POPOPS_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_BINARY(sub, SUBTRACT)
POPOPS_BINARY(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef POPOPS_BINARY
#undef POPOPS_CONST

/// 1 / sqrt(src + epsilon), and 1 / src^2 - epsilon, cast to `dstType`.
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src, const float epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src, const float epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {});

#define POPOPS_TERNARY(NAME, OP)                                                                                       \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                   \
                             const poplar::Tensor &C, POPOPS_PROG) {                                                   \
    return map(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext, options);                                  \
  }                                                                                                                    \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                    \
                            const poplar::Tensor &C, POPOPS_PROG) {                                                    \
    mapInPlace(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext, options);                                  \
  }                                                                                                                    \
  inline void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                 \
                               const poplar::Tensor &C, const poplar::Tensor &out, POPOPS_PROG) {                      \
    mapWithOutput(graph, expr::TernaryOpType::OP, A, B, C, out, prog, debugContext, options);                          \
  }
/// select: C ? A : B. clamp: A limited to [B, C].
POPOPS_TERNARY(select, SELECT)
POPOPS_TERNARY(clamp, CLAMP)
#undef POPOPS_TERNARY
#undef POPOPS_PROG

} // namespace popops

#endif
