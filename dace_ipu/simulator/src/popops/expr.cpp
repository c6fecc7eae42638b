// Expression trees: names, comparison, printing.
#include "element_ops.hpp"

#include <poputil/exceptions.hpp>
#include <popops/Expr.hpp>

namespace popops {
namespace expr {

Expr::~Expr() = default;

std::ostream &operator<<(std::ostream &os, const Expr &expr) {
  expr.print(os);
  return os;
}

bool deepEquals(const Expr &a, const Expr &b) { return a.deepEquals(b); }

namespace {

using Inputs = std::vector<poplar::Tensor>;

std::string call(const char *op, std::initializer_list<const Expr *> operands, const Inputs &inputs) {
  std::string text = op;
  for (const Expr *operand : operands)
    text += (text.size() == std::char_traits<char>::length(op) ? "(" : ",") + operand->name(inputs);
  return text + ")";
}

// One operand a line, or all on one line.
void print(std::ostream &os, const std::string &op, std::initializer_list<const Expr *> operands, unsigned indent,
           bool pretty) {
  os << op << "(";
  bool first = true;
  for (const Expr *operand : operands) {
    if (pretty)
      os << "\n" << std::string(indent + 2, ' ');
    else if (!first)
      os << ", ";
    operand->print(os, indent + 2, pretty);
    first = false;
  }
  os << ")";
}

} // namespace

std::string Const::printValue() const {
  if (traits_.isFloat)
    return std::to_string(real_);
  return traits_.isSigned ? std::to_string(static_cast<std::int64_t>(bits_)) : std::to_string(bits_);
}
std::string Const::name(const Inputs &) const { return type_.toString() + "{" + printValue() + "}"; }
bool Const::deepEquals(const Expr &other) const {
  const Const *o = other.getAs<Const>();
  return o && o->type_ == type_ && o->real_ == real_ && o->bits_ == bits_;
}
void Const::print(std::ostream &os, unsigned, bool) const { os << "Const<" << type_ << ">(" << printValue() << ")"; }

std::string Cast::name(const Inputs &inputs) const {
  return call(("cast<" + type_.toString() + ">").c_str(), {&getLHS()}, inputs);
}
bool Cast::deepEquals(const Expr &other) const {
  const Cast *o = other.getAs<Cast>();
  return o && o->type_ == type_ && getLHS().deepEquals(o->getLHS());
}
void Cast::print(std::ostream &os, unsigned indent, bool pretty) const {
  expr::print(os, "Cast<" + type_.toString() + ">", {&getLHS()}, indent, pretty);
}

std::string PlaceHolder::name(const Inputs &inputs) const {
  if (index_ == 0 || index_ > inputs.size())
    throw poputil::poplibs_error("expression: no input _" + std::to_string(index_) + " among " +
                                 std::to_string(inputs.size()));
  return "_" + std::to_string(index_) + ":" + inputs[index_ - 1].elementType().toString();
}
bool PlaceHolder::deepEquals(const Expr &other) const {
  const PlaceHolder *o = other.getAs<PlaceHolder>();
  return o && o->index_ == index_;
}
void PlaceHolder::print(std::ostream &os, unsigned, bool) const { os << "_" << index_; }

std::string UnaryOp::name(const Inputs &inputs) const { return call(nameOf(type_), {&getArg()}, inputs); }
bool UnaryOp::deepEquals(const Expr &other) const {
  const UnaryOp *o = other.getAs<UnaryOp>();
  return o && o->type_ == type_ && getArg().deepEquals(o->getArg());
}
void UnaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  expr::print(os, nameOf(type_), {&getArg()}, indent, pretty);
}

std::string BinaryOp::name(const Inputs &inputs) const { return call(nameOf(type_), {&getLHS(), &getRHS()}, inputs); }
bool BinaryOp::deepEquals(const Expr &other) const {
  const BinaryOp *o = other.getAs<BinaryOp>();
  return o && o->type_ == type_ && getLHS().deepEquals(o->getLHS()) && getRHS().deepEquals(o->getRHS());
}
void BinaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  expr::print(os, nameOf(type_), {&getLHS(), &getRHS()}, indent, pretty);
}

std::string TernaryOp::name(const Inputs &inputs) const {
  return call(nameOf(type_), {&getArg0(), &getArg1(), &getArg2()}, inputs);
}
bool TernaryOp::deepEquals(const Expr &other) const {
  const TernaryOp *o = other.getAs<TernaryOp>();
  return o && o->type_ == type_ && getArg0().deepEquals(o->getArg0()) && getArg1().deepEquals(o->getArg1()) &&
         getArg2().deepEquals(o->getArg2());
}
void TernaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  expr::print(os, nameOf(type_), {&getArg0(), &getArg1(), &getArg2()}, indent, pretty);
}

} // namespace expr
} // namespace popops
