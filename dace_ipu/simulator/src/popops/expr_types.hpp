// The types of expressions over given tensors.
#pragma once

#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace popops {

class ExpressionTypes {
public:
  /// `name` is for messages.
  ExpressionTypes(const std::vector<poplar::Tensor> &inputs, std::string name)
      : inputs_(inputs), name_(std::move(name)) {}

  /// The tensor of a place holder. Throws poplibs_error if there is none.
  const poplar::Tensor &input(const expr::PlaceHolder &p) const;
  /// By itself: that of its first leaf.
  poplar::Type leafType(const expr::Expr &e) const;
  /// None if only constants are in it.
  poplar::Type typeOf(const expr::Expr &e) const;
  /// The type of the first of several expressions that has one.
  poplar::Type firstType(std::initializer_list<const expr::Expr *> expressions) const;
  /// What operands of an operation are, where they are constants: `outer` is what the operation stands beside.
  poplar::Type operandType(const expr::BinaryOp &b, const poplar::Type &outer) const;
  poplar::Type operandType(const expr::TernaryOp &t, const poplar::Type &outer) const;
  poplar::Type operandType(const expr::Expr &operand, const poplar::Type &outer) const;
  const std::string &name() const { return name_; }

private:
  const std::vector<poplar::Tensor> &inputs_;
  const std::string name_;
};

inline bool isSelect(const expr::TernaryOp &t) { return t.getOpType() == expr::TernaryOpType::SELECT; }

} // namespace popops
