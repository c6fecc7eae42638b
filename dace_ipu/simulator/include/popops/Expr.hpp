// Expressions on the elements of tensors, for popops::map.
#ifndef popops_Expr_hpp
#define popops_Expr_hpp

#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <popops/ExprOp.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace popops {
namespace expr {

/// Base of all expressions: trees that own copies of their operands.
class Expr {
public:
  enum class Kind { Const, Cast, PlaceHolder, Unary, Binary, Ternary };

  virtual ~Expr();
  Kind kind() const { return kind_; }
  template <class T> bool isA() const { return kind_ == T::classKind; }
  template <class T> T *getAs() { return isA<T>() ? static_cast<T *>(this) : nullptr; }
  template <class T> const T *getAs() const { return isA<T>() ? static_cast<const T *>(this) : nullptr; }

  virtual std::unique_ptr<Expr> clone() const = 0;
  /// A text that identifies the expression for inputs of these types.
  virtual std::string name(const std::vector<poplar::Tensor> &inputs) const = 0;
  virtual bool deepEquals(const Expr &other) const = 0;
  virtual void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const = 0;

protected:
  explicit Expr(Kind kind) : kind_(kind) {}

private:
  Kind kind_;
};

std::ostream &operator<<(std::ostream &os, const Expr &expr);
bool deepEquals(const Expr &a, const Expr &b);

/// Holds any expression.
class Any {
public:
  Any(const Expr &expr) : expr_(expr.clone()) {}
  Any(const Any &other) : expr_(other.expr_->clone()) {}
  Any(Any &&) = default;
  Any &operator=(const Any &other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any &operator=(Any &&other) = default;
  operator Expr &() { return *expr_; }
  operator const Expr &() const { return *expr_; }
  std::string name(const std::vector<poplar::Tensor> &inputs) const { return expr_->name(inputs); }

private:
  std::unique_ptr<Expr> expr_;
};

/// A value. Beside an operand of another type it is converted to that type.
class Const : public Expr {
public:
  static constexpr Kind classKind = Kind::Const;

  template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  Const(T x) : Const(x, poplar::equivalent_device_type<T>().value) {}

  const poplar::TypeTraits &getTypeTraits() const { return traits_; }
  const poplar::Type &getType() const { return type_; }
  double getDataAsDouble() const { return real_; }
  std::uint64_t getDataForUnsignedIntegral() const { return bits_; }
  std::string printValue() const;

  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new Const(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

protected:
  template <typename T>
  Const(T x, poplar::Type type)
      : Expr(classKind), traits_(poplar::TypeTraits::make<T>()), type_(type), real_(static_cast<double>(x)),
        bits_(traits_.isFloat ? 0 : static_cast<std::uint64_t>(x)) {}

private:
  poplar::TypeTraits traits_;
  poplar::Type type_;
  double real_;
  std::uint64_t bits_;
};

class ConstHalf : public Const {
public:
  ConstHalf(float x) : Const(x, poplar::HALF) {}
};
inline ConstHalf operator""_half(long double x) { return ConstHalf(static_cast<float>(x)); }

/// The value of another expression, converted as popops::cast does.
class Cast : public Expr {
public:
  static constexpr Kind classKind = Kind::Cast;
  Cast(const Expr &a, const poplar::Type type) : Expr(classKind), a_(a), type_(type) {}
  const Expr &getLHS() const { return a_; }
  const poplar::Type &getRHSType() const { return type_; }
  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new Cast(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  Any a_;
  poplar::Type type_;
};

/// Input number `index`, counted from 1.
class PlaceHolder : public Expr {
public:
  static constexpr Kind classKind = Kind::PlaceHolder;
  PlaceHolder(unsigned index) : Expr(classKind), index_(index) {}
  unsigned getIndex() const { return index_; }
  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new PlaceHolder(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  unsigned index_;
};

const PlaceHolder _1(1);
const PlaceHolder _2(2);
const PlaceHolder _3(3);
const PlaceHolder _4(4);
const PlaceHolder _5(5);
const PlaceHolder _6(6);
const PlaceHolder _7(7);
const PlaceHolder _8(8);
const PlaceHolder _9(9);
const PlaceHolder _10(10);
const PlaceHolder _11(11);
const PlaceHolder _12(12);
const PlaceHolder _13(13);
const PlaceHolder _14(14);
const PlaceHolder _15(15);
const PlaceHolder _16(16);
const PlaceHolder _17(17);
const PlaceHolder _18(18);
const PlaceHolder _19(19);
const PlaceHolder _20(20);

class UnaryOp : public Expr {
public:
  static constexpr Kind classKind = Kind::Unary;
  UnaryOp(UnaryOpType type, const Expr &a) : Expr(classKind), type_(type), a_(a) {}
  UnaryOpType getOpType() const { return type_; }
  const Expr &getArg() const { return a_; }
  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new UnaryOp(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  UnaryOpType type_;
  Any a_;
};

class BinaryOp : public Expr {
public:
  static constexpr Kind classKind = Kind::Binary;
  BinaryOp(BinaryOpType type, const Expr &a, const Expr &b) : Expr(classKind), type_(type), a_(a), b_(b) {}
  BinaryOpType getOpType() const { return type_; }
  const Expr &getLHS() const { return a_; }
  const Expr &getRHS() const { return b_; }
  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new BinaryOp(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  BinaryOpType type_;
  Any a_, b_;
};

class TernaryOp : public Expr {
public:
  static constexpr Kind classKind = Kind::Ternary;
  TernaryOp(TernaryOpType type, const Expr &a, const Expr &b, const Expr &c)
      : Expr(classKind), type_(type), a_(a), b_(b), c_(c) {}
  TernaryOpType getOpType() const { return type_; }
  const Expr &getArg0() const { return a_; }
  const Expr &getArg1() const { return b_; }
  const Expr &getArg2() const { return c_; }
  std::unique_ptr<Expr> clone() const override { return std::unique_ptr<Expr>(new TernaryOp(*this)); }
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  TernaryOpType type_;
  Any a_, b_, c_;
};

#define POPOPS_EXPR(NAME, OP)                                                                                          \
  class NAME : public UnaryOp {                                                                                        \
  public:                                                                                                              \
    NAME(const Expr &a) : UnaryOp(UnaryOpType::OP, a) {}                                                               \
  };
POPOPS_EXPR(Abs, ABSOLUTE)
POPOPS_EXPR(Asin, ASIN)
POPOPS_EXPR(BitwiseNot, BITWISE_NOT)
POPOPS_EXPR(Cbrt, CBRT)
POPOPS_EXPR(Erf, ERF)
POPOPS_EXPR(Ceil, CEIL)
POPOPS_EXPR(Cos, COS)
POPOPS_EXPR(Exp, EXPONENT)
POPOPS_EXPR(Expm1, EXPONENT_MINUS_ONE)
POPOPS_EXPR(Exp2, EXPONENT2)
POPOPS_EXPR(Floor, FLOOR)
POPOPS_EXPR(GeluErf, GELU_ERF)
POPOPS_EXPR(Inv, INVERSE)
POPOPS_EXPR(IsFinite, IS_FINITE)
POPOPS_EXPR(IsInf, IS_INF)
POPOPS_EXPR(IsNaN, IS_NAN)
POPOPS_EXPR(Log, LOGARITHM)
POPOPS_EXPR(Log1p, LOGARITHM_ONE_PLUS)
POPOPS_EXPR(Not, LOGICAL_NOT)
POPOPS_EXPR(Neg, NEGATE)
POPOPS_EXPR(NearbyInt, NEARBY_INT)
POPOPS_EXPR(Relu, RELU)
POPOPS_EXPR(Signum, SIGNUM)
POPOPS_EXPR(Sin, SIN)
POPOPS_EXPR(Tan, TAN)
POPOPS_EXPR(Tanh, TANH)
POPOPS_EXPR(Round, ROUND)
POPOPS_EXPR(Trunc, TRUNC)
POPOPS_EXPR(Sqrt, SQRT)
POPOPS_EXPR(Square, SQUARE)
POPOPS_EXPR(Sigmoid, SIGMOID)
POPOPS_EXPR(Rsqrt, RSQRT)
#undef POPOPS_EXPR

#define POPOPS_EXPR(NAME, OP)                                                                                          \
  class NAME : public BinaryOp {                                                                                       \
  public:                                                                                                              \
    NAME(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::OP, a, b) {}                                           \
  };
POPOPS_EXPR(Add, ADD)
POPOPS_EXPR(Atan2, ATAN2)
POPOPS_EXPR(BitwiseAnd, BITWISE_AND)
POPOPS_EXPR(BitwiseOr, BITWISE_OR)
POPOPS_EXPR(BitwiseXor, BITWISE_XOR)
POPOPS_EXPR(BitwiseXnor, BITWISE_XNOR)
POPOPS_EXPR(Divide, DIVIDE)
POPOPS_EXPR(Equal, EQUAL)
POPOPS_EXPR(Gte, GREATER_THAN_EQUAL)
POPOPS_EXPR(Gt, GREATER_THAN)
POPOPS_EXPR(Lte, LESS_THAN_EQUAL)
POPOPS_EXPR(And, LOGICAL_AND)
POPOPS_EXPR(Or, LOGICAL_OR)
POPOPS_EXPR(Lt, LESS_THAN)
POPOPS_EXPR(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_EXPR(Max, MAXIMUM)
POPOPS_EXPR(Min, MINIMUM)
POPOPS_EXPR(Mul, MULTIPLY)
POPOPS_EXPR(NotEqual, NOT_EQUAL)
POPOPS_EXPR(Pow, POWER)
POPOPS_EXPR(Rem, REMAINDER)
POPOPS_EXPR(Shl, SHIFT_LEFT)
POPOPS_EXPR(Shr, SHIFT_RIGHT)
POPOPS_EXPR(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_EXPR(Sub, SUBTRACT)
POPOPS_EXPR(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef POPOPS_EXPR

/// c ? a : b, and a limited to [b, c].
class Select : public TernaryOp {
public:
  Select(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::SELECT, a, b, c) {}
};
class Clamp : public TernaryOp {
public:
  Clamp(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::CLAMP, a, b, c) {}
};

inline BitwiseNot operator~(const Expr &a) { return BitwiseNot(a); }
inline Not operator!(const Expr &a) { return Not(a); }
inline Neg operator-(const Expr &a) { return Neg(a); }

// Operators between expressions, and between an expression and a number.
#define POPOPS_EXPR_OPERATOR(SYMBOL, NAME)                                                                             \
  inline NAME operator SYMBOL(const Expr &a, const Expr &b) { return NAME(a, b); }                                     \
  template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                        \
  NAME operator SYMBOL(const Expr &a, T b) {                                                                           \
    return NAME(a, Const(b));                                                                                          \
  }                                                                                                                    \
  template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                        \
  NAME operator SYMBOL(T a, const Expr &b) {                                                                           \
    return NAME(Const(a), b);                                                                                          \
  }
POPOPS_EXPR_OPERATOR(+, Add)
POPOPS_EXPR_OPERATOR(-, Sub)
POPOPS_EXPR_OPERATOR(*, Mul)
POPOPS_EXPR_OPERATOR(/, Divide)
POPOPS_EXPR_OPERATOR(%, Rem)
POPOPS_EXPR_OPERATOR(&, BitwiseAnd)
POPOPS_EXPR_OPERATOR(|, BitwiseOr)
POPOPS_EXPR_OPERATOR(^, BitwiseXor)
POPOPS_EXPR_OPERATOR(&&, And)
POPOPS_EXPR_OPERATOR(||, Or)
POPOPS_EXPR_OPERATOR(==, Equal)
POPOPS_EXPR_OPERATOR(!=, NotEqual)
POPOPS_EXPR_OPERATOR(<, Lt)
POPOPS_EXPR_OPERATOR(<=, Lte)
POPOPS_EXPR_OPERATOR(>, Gt)
POPOPS_EXPR_OPERATOR(>=, Gte)
POPOPS_EXPR_OPERATOR(<<, Shl)
POPOPS_EXPR_OPERATOR(>>, Shr)
#undef POPOPS_EXPR_OPERATOR

} // namespace expr
} // namespace popops

#endif
