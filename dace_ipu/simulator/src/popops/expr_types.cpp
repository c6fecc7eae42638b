#include "expr_types.hpp"
#include "element_ops.hpp"

#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;

namespace {

Type typeOr(const Type &own, const Type &otherwise) { return own == Type() ? otherwise : own; }

} // namespace

const Tensor &ExpressionTypes::input(const expr::PlaceHolder &p) const {
  if (p.getIndex() == 0 || p.getIndex() > inputs_.size())
    throw poputil::poplibs_error("popops::map (" + name_ + "): the expression has an input _" +
                                 std::to_string(p.getIndex()) + ", but there are " + std::to_string(inputs_.size()) +
                                 " tensors");
  return inputs_[p.getIndex() - 1];
}

Type ExpressionTypes::leafType(const expr::Expr &e) const {
  if (const auto *c = e.getAs<expr::Const>())
    return c->getType();
  if (e.isA<expr::PlaceHolder>() || e.isA<expr::Cast>())
    return typeOf(e);
  if (const auto *u = e.getAs<expr::UnaryOp>())
    return leafType(u->getArg());
  if (const auto *b = e.getAs<expr::BinaryOp>())
    return leafType(b->getLHS());
  return leafType(e.getAs<expr::TernaryOp>()->getArg0());
}

Type ExpressionTypes::firstType(std::initializer_list<const expr::Expr *> expressions) const {
  for (const expr::Expr *e : expressions)
    if (typeOf(*e) != Type())
      return typeOf(*e);
  return Type();
}

Type ExpressionTypes::typeOf(const expr::Expr &e) const {
  if (const auto *p = e.getAs<expr::PlaceHolder>())
    return input(*p).elementType();
  if (const auto *c = e.getAs<expr::Cast>())
    return c->getRHSType();
  if (const auto *u = e.getAs<expr::UnaryOp>()) {
    const Type in = typeOf(u->getArg());
    return in == Type() ? in : resultType(u->getOpType(), in, name_);
  }
  if (const auto *b = e.getAs<expr::BinaryOp>()) {
    const Type in = firstType({&b->getLHS(), &b->getRHS()});
    return in == Type() ? in : resultType(b->getOpType(), in, in, name_);
  }
  if (const auto *t = e.getAs<expr::TernaryOp>())
    return operandType(*t, Type());
  return Type();
}

// Comparisons of constants are of their own type, whatever the BOOL that comes out stands beside.
Type ExpressionTypes::operandType(const expr::BinaryOp &b, const Type &outer) const {
  return typeOr(firstType({&b.getLHS(), &b.getRHS()}), outer == BOOL ? leafType(b) : outer);
}

Type ExpressionTypes::operandType(const expr::TernaryOp &t, const Type &outer) const {
  const Type own =
      isSelect(t) ? firstType({&t.getArg0(), &t.getArg1()}) : firstType({&t.getArg0(), &t.getArg1(), &t.getArg2()});
  return typeOr(own, outer);
}

Type ExpressionTypes::operandType(const expr::Expr &operand, const Type &outer) const {
  return typeOr(typeOf(operand), outer);
}

} // namespace popops
