#include "element_ops.hpp"

#include "element_vertices.hpp"

#include <poputil/Broadcast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;
using expr::BinaryOpType;
using expr::isQuestion;
using expr::isRelation;
using expr::TernaryOpType;
using expr::UnaryOpType;

namespace {

const char *const unaryNames[] = {
    "abs",    "asin", "bitwiseNot", "cbrt",     "ceil",   "cos",   "countLeadingZeros", "erf",   "exp",
    "expm1",  "exp2", "floor",      "geluErf",  "inv",    "isFinite", "isInf",          "isNaN", "log",
    "log1p",  "logicalNot", "neg",  "nearbyint", "popcount", "relu", "signum",          "sin",   "tan",
    "tanh",   "round", "sqrt",      "square",   "sigmoid", "rsqrt", "trunc"};
const char *const binaryNames[] = {"add",        "atan2",      "bitwiseAnd", "bitwiseOr",
                                   "bitwiseXor", "bitwiseXnor", "div",       "eq",
                                   "gteq",       "gt",         "invStdDevToVariance", "lteq",
                                   "logicalAnd", "logicalOr",  "lt",         "max",
                                   "min",        "mul",        "neq",        "pow",
                                   "rem",        "shiftLeft",  "shiftRight", "shiftRightSignExtend",
                                   "sub",        "varianceToInvStdDev"};
static_assert(sizeof(unaryNames) / sizeof(*unaryNames) == static_cast<int>(UnaryOpType::TRUNC) + 1, "a name each");
static_assert(sizeof(binaryNames) / sizeof(*binaryNames) ==
                  static_cast<int>(BinaryOpType::VARIANCE_TO_INV_STD_DEV) + 1,
              "a name each");

bool isReal(const Type &t) { return t == FLOAT || t == HALF; }
bool isInteger(const Type &t) {
  return t == INT || t == UNSIGNED_INT || t == SHORT || t == UNSIGNED_SHORT || t == CHAR || t == SIGNED_CHAR ||
         t == UNSIGNED_CHAR || t == LONGLONG || t == UNSIGNED_LONGLONG;
}

bool supports(UnaryOpType op, const Type &t) {
  switch (op) {
  case UnaryOpType::LOGICAL_NOT:
    return t == BOOL;
  case UnaryOpType::BITWISE_NOT:
  case UnaryOpType::COUNT_LEADING_ZEROS:
  case UnaryOpType::POPCOUNT:
    return isInteger(t);
  case UnaryOpType::ABSOLUTE:
  case UnaryOpType::NEGATE:
  case UnaryOpType::RELU:
  case UnaryOpType::SIGNUM:
  case UnaryOpType::SQRT:
  case UnaryOpType::SQUARE:
    return isReal(t) || isInteger(t);
  default:
    return isReal(t);
  }
}

bool isLogical(BinaryOpType op) { return op == BinaryOpType::LOGICAL_AND || op == BinaryOpType::LOGICAL_OR; }

bool isBitwise(BinaryOpType op) {
  return op == BinaryOpType::BITWISE_AND || op == BinaryOpType::BITWISE_OR || op == BinaryOpType::BITWISE_XOR ||
         op == BinaryOpType::BITWISE_XNOR;
}

bool supports(BinaryOpType op, const Type &t) {
  if (isLogical(op))
    return t == BOOL;
  if (isRelation(op))
    return t == BOOL || isReal(t) || isInteger(t);
  if (isBitwise(op))
    return t == BOOL || isInteger(t);
  switch (op) {
  case BinaryOpType::SHIFT_LEFT:
  case BinaryOpType::SHIFT_RIGHT:
  case BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND:
    return isInteger(t);
  case BinaryOpType::ATAN2:
  case BinaryOpType::INV_STD_DEV_TO_VARIANCE:
  case BinaryOpType::VARIANCE_TO_INV_STD_DEV:
    return isReal(t);
  default:
    return isReal(t) || isInteger(t);
  }
}

[[noreturn]] void unsupported(const std::string &op, const std::string &types, const std::string &debugName) {
  throw poplibs_error("popops::" + op + " (" + debugName + "): operands of type " + types + " are not supported");
}

std::string shapes(const std::vector<Tensor> &operands) {
  std::string text;
  for (const Tensor &t : operands)
    text += (text.empty() ? "" : ", ") + t.shapeToString();
  return text;
}

// PopLibs lets operands have more dimensions than the output if the first ones have size 1.
Tensor withoutLeadingOnes(Tensor t, std::size_t rank) {
  while (t.rank() > rank && t.dim(0) == 1)
    t = t[0];
  return t;
}

// Broadcasts to the output; operands of one element are left as they are.
Operands fitted(const char *op, const std::vector<Tensor> &operands, const Tensor &out, const DebugContext &dc) {
  Operands result;
  for (const Tensor &operand : operands) {
    Tensor t = withoutLeadingOnes(operand, out.rank());
    try {
      poputil::broadcastToMatch(t, out.shape());
    } catch (const poplibs_error &) {
      throw poplibs_error(std::string("popops::") + op + " (" + dc.getPathName() + "): operands of shapes " +
                          shapes(operands) + " do not broadcast to an output of shape " + out.shapeToString());
    }
    result.push_back(t);
  }
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].numElements() == 1)
      result[i] = operands[i];
  return result;
}

void requireType(const char *op, const Tensor &out, const Type &type, const DebugContext &dc) {
  if (out.elementType() != type)
    throw poplibs_error(std::string("popops::") + op + " (" + dc.getPathName() + "): the result has type " +
                        type.toString() + ", the output " + out.elementType().toString());
}

// One compute set of the vertices for an operation.
void run(Graph &graph, const char *op, const std::string &vertex, const std::vector<Tensor> &operands,
         const Tensor &out, FieldValues values, bool hasSteps, program::Sequence &prog, const DebugContext &dc) {
  const Operands fit = withoutOverlap(graph, fitted(op, operands, out, dc), out, prog, dc);
  values.emplace_back("inPlace", operands[0] == out);
  const ComputeSet cs = graph.addComputeSet({dc, op});
  addElementVertices(graph, cs, vertex, fit, out, hasSteps, values);
  prog.add(program::Execute(cs, {dc}));
}

} // namespace

const char *nameOf(UnaryOpType op) { return unaryNames[static_cast<int>(op)]; }
const char *nameOf(BinaryOpType op) { return binaryNames[static_cast<int>(op)]; }
const char *nameOf(TernaryOpType op) { return op == TernaryOpType::SELECT ? "select" : "clamp"; }

Type resultType(UnaryOpType op, const Type &in, const std::string &debugName) {
  if (!supports(op, in))
    unsupported(nameOf(op), in.toString(), debugName);
  return isQuestion(op) ? BOOL : in;
}

Type resultType(BinaryOpType op, const Type &in1, const Type &in2, const std::string &debugName) {
  if (in1 != in2)
    throw poplibs_error(std::string("popops::") + nameOf(op) + " (" + debugName + "): operands have different types " +
                        in1.toString() + " and " + in2.toString());
  if (!supports(op, in1))
    unsupported(nameOf(op), in1.toString(), debugName);
  return isRelation(op) ? BOOL : in1;
}

Type resultType(TernaryOpType op, const Type &in1, const Type &in2, const Type &in3, const std::string &debugName) {
  const bool isSelect = op == TernaryOpType::SELECT;
  const std::string types = in1.toString() + ", " + in2.toString() + ", " + in3.toString();
  if (in1 != in2 || in3 != (isSelect ? BOOL : in1))
    throw poplibs_error(std::string("popops::") + nameOf(op) + " (" + debugName + "): operands of types " + types +
                        "; needed are " + (isSelect ? "two of one type and bool" : "three of one type"));
  if (!isReal(in1) && !isInteger(in1) && !(isSelect && in1 == BOOL))
    unsupported(nameOf(op), types, debugName);
  return in1;
}

void unaryOp(Graph &graph, UnaryOpType op, const Tensor &in, const Tensor &out, program::Sequence &prog,
             const DebugContext &dc) {
  const Type type = resultType(op, in.elementType(), dc.getPathName());
  requireType(nameOf(op), out, type, dc);
  Tensor whole = in;
  if (in.numElements() == 1 && out.numElements() != 1)
    poputil::broadcastToMatch(whole, out.shape());
  run(graph, nameOf(op), poputil::templateVertex("popops::UnaryOp", in.elementType(), type), {whole}, out,
      {{"op", static_cast<unsigned>(op)}}, false, prog, dc);
}

void binaryOp(Graph &graph, BinaryOpType op, const Tensor &in1, const Tensor &in2, const Tensor &out,
              program::Sequence &prog, const DebugContext &dc) {
  const Type type = resultType(op, in1.elementType(), in2.elementType(), dc.getPathName());
  requireType(nameOf(op), out, type, dc);
  const Operands operands = withoutOverlap(
      graph, {withoutLeadingOnes(in1, out.rank()), withoutLeadingOnes(in2, out.rank())}, out, prog, dc);
  const ComputeSet cs = graph.addComputeSet({dc, nameOf(op)});
  // On BOOL everything gives BOOL; elsewhere bitwise operations are arithmetic.
  addBinaryVertices(graph, cs, op, poputil::templateVertex("popops::BinaryOp", in1.elementType(), type), operands,
                    fitted(nameOf(op), operands, out, dc), out,
                    {{"op", static_cast<unsigned>(op)}, {"inPlace", in1 == out}});
  prog.add(program::Execute(cs, {dc}));
}

void ternaryOp(Graph &graph, TernaryOpType op, const Tensor &in1, const Tensor &in2, const Tensor &in3,
               const Tensor &out, program::Sequence &prog, const DebugContext &dc) {
  const Type type =
      resultType(op, in1.elementType(), in2.elementType(), in3.elementType(), dc.getPathName());
  requireType(nameOf(op), out, type, dc);
  const char *vertex = op == TernaryOpType::SELECT ? "popops::Select" : "popops::Clamp";
  run(graph, nameOf(op), poputil::templateVertex(vertex, type), {in1, in2, in3}, out, {}, true, prog, dc);
}

} // namespace popops
