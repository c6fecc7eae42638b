#include "fused_map.hpp"
#include "element_ops.hpp"
#include "element_vertices.hpp"
#include "estimators.hpp"

#include <popops/ElementWise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace popops {

using namespace poplar;

namespace {

bool isRealType(const Type &type) { return type == FLOAT || type == HALF; }

// Exactly, in hexadecimal.
std::string literal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%a", static_cast<double>(static_cast<float>(value)));
  return std::string(text.data()) + "f";
}

bool isOnPath(const std::string &program) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0)
      return true;
  return false;
}

bool hasCompiler() {
  const char *command = std::getenv("DACE_IPU_POPC");
  return (command && *command) || isOnPath("popc");
}

std::string hash(const std::string &text) { // FNV-1a, 64 bits
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(h));
  return hex.data();
}

template <typename Op> std::string call(const char *enumeration, Op op, const std::string &operands) {
  return "computed<popops::expr::" + std::string(enumeration) + "(" + std::to_string(static_cast<unsigned>(op)) +
         ")>(" + operands + ")";
}

} // namespace

FusedMap::FusedMap(Graph &graph, const expr::Expr &expression, const std::vector<Tensor> &inputs, const Tensor &out,
                   const DebugContext &debugContext)
    : graph_(graph), inputs_(inputs), types_(inputs, debugContext.getPathName()), debugContext_(debugContext),
      out_(out) {
  const Type own = types_.typeOf(expression);
  const Type type = own != Type() ? own : out.valid() ? out.elementType() : types_.leafType(expression);
  value_ = text(expression, type);
  type_ = resultOf(expression, type);
  isPossible_ = isPossible_ && !fieldOf_.empty() && fits(out) && hasCompiler();
}

unsigned numOperations(const expr::Expr &e) {
  if (const auto *c = e.getAs<expr::Cast>())
    return 1 + numOperations(c->getLHS());
  if (const auto *u = e.getAs<expr::UnaryOp>())
    return 1 + numOperations(u->getArg());
  if (const auto *b = e.getAs<expr::BinaryOp>())
    return 1 + numOperations(b->getLHS()) + numOperations(b->getRHS());
  if (const auto *t = e.getAs<expr::TernaryOp>())
    return 1 + numOperations(t->getArg0()) + numOperations(t->getArg1()) + numOperations(t->getArg2());
  return 0;
}

bool FusedMap::fits(const Tensor &out) const {
  Tensor all = out;
  for (const Tensor &t : operands()) {
    if (t.containsAliases())
      return false;
    if (!all.valid() || (!out.valid() && all.numElements() == 1))
      all = t;
    else if (t.numElements() != 1 && t.shape() != all.shape())
      return false;
  }
  return !out.valid() || out.elementType() == type_;
}

std::vector<Tensor> FusedMap::operands() const {
  std::vector<Tensor> result(fieldOf_.size());
  for (const auto &field : fieldOf_)
    result[field.second - 1] = inputs_[field.first - 1];
  return result;
}

std::string FusedMap::text(const expr::Expr &e, const Type &type) {
  switch (e.kind()) {
  case expr::Expr::Kind::Const:
    return constant(*e.getAs<expr::Const>(), type);
  case expr::Expr::Kind::PlaceHolder:
    return placeHolder(*e.getAs<expr::PlaceHolder>());
  case expr::Expr::Kind::Cast:
    return cast(*e.getAs<expr::Cast>());
  case expr::Expr::Kind::Unary:
    return unary(*e.getAs<expr::UnaryOp>(), type);
  case expr::Expr::Kind::Binary:
    return binary(*e.getAs<expr::BinaryOp>(), type);
  default:
    return ternary(*e.getAs<expr::TernaryOp>(), type);
  }
}

// Numbers that may not fit the type are left to constant tensors, which check that.
std::string FusedMap::constant(const expr::Const &c, const Type &type) {
  const bool isFloat = c.getTypeTraits().isFloat;
  const bool isNegative = c.getTypeTraits().isSigned && static_cast<std::int64_t>(c.getDataForUnsignedIntegral()) < 0;
  const double value = c.getDataAsDouble();
  const bool fitsInteger =
      !isFloat && (type == INT || (type == UNSIGNED_INT && !isNegative)) && std::fabs(value) <= 2147483647.0;
  isPossible_ = isPossible_ && (isRealType(type) ? std::fabs(value) < (type == HALF ? 65504.0 : 3e38) : fitsInteger);
  const std::string number = isRealType(type) ? literal(value) : std::to_string(static_cast<long long>(value)) + "ll";
  return "static_cast<" + type.toString() + ">(" + number + ")";
}

std::string FusedMap::placeHolder(const expr::PlaceHolder &p) {
  types_.input(p);
  const unsigned field = fieldOf_.emplace(p.getIndex(), static_cast<unsigned>(fieldOf_.size()) + 1).first->second;
  return "x" + std::to_string(field) + "[i]";
}

std::string FusedMap::cast(const expr::Cast &c) {
  const expr::Expr &inner = c.getLHS();
  costs_.push_back([](std::uint64_t n) { return 2 * n; });
  return "convert<" + c.getRHSType().toString() + ">(" +
         text(inner, types_.operandType(inner, types_.leafType(inner))) + ")";
}

std::string FusedMap::unary(const expr::UnaryOp &u, const Type &type) {
  const Type in = types_.operandType(u.getArg(), type);
  const expr::UnaryOpType op = u.getOpType();
  resultType(op, in, types_.name());
  costs_.push_back([op, in](std::uint64_t n) { return arithmeticCycles(op, in, n); });
  return call("UnaryOpType", op, text(u.getArg(), in));
}

std::string FusedMap::binary(const expr::BinaryOp &b, const Type &outer) {
  const Type type = types_.operandType(b, outer);
  const expr::BinaryOpType op = b.getOpType();
  resultType(op, resultOf(b.getLHS(), type), resultOf(b.getRHS(), type), types_.name());
  costs_.push_back([op, type](std::uint64_t n) { return arithmeticCycles(op, type, n); });
  const std::string left = text(b.getLHS(), type);
  return call("BinaryOpType", op, left + ", " + text(b.getRHS(), type));
}

std::string FusedMap::ternary(const expr::TernaryOp &t, const Type &outer) {
  const Type type = types_.operandType(t, outer), third = isSelect(t) ? BOOL : type;
  resultType(t.getOpType(), resultOf(t.getArg0(), type), resultOf(t.getArg1(), type), resultOf(t.getArg2(), third),
             types_.name());
  costs_.push_back([](std::uint64_t n) { return 3 * n; });
  const std::string first = text(t.getArg0(), type), second = text(t.getArg1(), type);
  return std::string(isSelect(t) ? "selected<" : "clamped<") + type.toString() + ">(" + first + ", " + second + ", " +
         text(t.getArg2(), third) + ")";
}

// The type of an expression that stands where constants have `type`.
Type FusedMap::resultOf(const expr::Expr &e, const Type &type) const {
  const Type own = types_.typeOf(e);
  if (own != Type())
    return own;
  if (const auto *u = e.getAs<expr::UnaryOp>())
    return isQuestion(u->getOpType()) ? BOOL : type;
  if (const auto *b = e.getAs<expr::BinaryOp>())
    return isRelation(b->getOpType()) ? BOOL : type;
  return type;
}

std::string FusedMap::source(const std::string &name) const {
  std::ostringstream fields, values;
  const std::vector<Tensor> tensors = operands();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string n = std::to_string(i + 1), type = tensors[i].elementType().toString();
    fields << "  Rows<" << type << "> in" << n << ";\n  const bool step" << n << ";\n";
    values << "      const Operand<" << type << "> x" << n << " = operandOf(in" << n << ", step" << n
           << ", row, begin);\n";
  }
  const std::string type = type_.toString();
  return "#include <popops/codelet/Elements.hpp>\n#include <popops/codelet/Operations.hpp>\n"
         "using namespace poplar;\nnamespace popops {\nclass " +
         name + " : public MultiVertex {\npublic:\n" + fields.str() + "  OutputRows<" + type +
         "> out;\n  bool compute(unsigned worker) {\n"
         "    forEachShare(out, worker, [this](unsigned row, unsigned begin, unsigned size) {\n" +
         values.str() + "      " + type + " *result = &out[row][begin];\n" +
         "      for (unsigned i = 0; i < size; ++i)\n        result[i] = " + value_ +
         ";\n    });\n    return true;\n  }\n};\n}\n";
}

// Each worker loads its share of the operands, computes and stores; 20 cycles besides, as PopLibs has it.
PerfEstimateFunc FusedMap::estimator() const {
  const Costs costs = costs_;
  const std::vector<Tensor> inputs = operands();
  const auto streams =
      1 + std::count_if(inputs.begin(), inputs.end(), [](const Tensor &t) { return t.numElements() != 1; });
  const unsigned width = graph_.getTarget().getVectorWidth(type_);
  return [costs, streams, width](const VertexIntrospector &vertex, const Target &target) -> VertexPerfEstimate {
    const FieldData out = vertex.getFieldInfo("out");
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < out.size(); ++row)
      total += out.getSizeAtIndex(row);
    const std::uint64_t workers = target.getNumWorkerContexts(), share = (total + workers - 1) / workers;
    std::uint64_t cycles = 20 + static_cast<std::uint64_t>(streams) * ((share + width - 1) / width);
    for (const auto &cost : costs)
      cycles += cost(share);
    return 11 + workers * cycles;
  };
}

// Loads the codelet if the graph does not have it yet, and returns its name.
std::string FusedMap::codelet() const {
  const std::string name = "Map_" + hash(source(""));
  if (!graph_.hasCodelet("popops::" + name)) {
    std::stringstream text(source(name));
    graph_.addCodelets(text, "-O2");
    graph_.registerPerfEstimator("popops::" + name, estimator());
  }
  return "popops::" + name;
}

Tensor FusedMap::addTo(program::Sequence &prog) const {
  const std::vector<Tensor> inputs = operands();
  const Tensor out = out_.valid() ? out_ : createOutputForElementWiseOp(graph_, inputs, type_, {debugContext_, "Out"});
  const Operands safe = withoutOverlap(graph_, inputs, out, prog, debugContext_);
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "Map"});
  addElementVertices(graph_, cs, codelet(), safe, out, true, {});
  prog.add(program::Execute(cs, {debugContext_}));
  return out;
}

} // namespace popops
