// An expression as one vertex on every tile, whose codelet is generated.
#pragma once

#include "expr_types.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace popops {

/// How many operations and casts are in an expression.
unsigned numOperations(const expr::Expr &expression);

/// Like PopLibs (ExpressionGenerator.cpp), for tensors of one shape, or of one element, without aliases.
class FusedMap {
public:
  /// `out` may be invalid.
  FusedMap(poplar::Graph &graph, const expr::Expr &expression, const std::vector<poplar::Tensor> &inputs,
           const poplar::Tensor &out, const poplar::DebugContext &debugContext);

  /// Whether the tensors and constants are such as above, and a compiler is at hand.
  bool isPossible() const { return isPossible_; }
  /// Appends the vertices and returns the result.
  poplar::Tensor addTo(poplar::program::Sequence &prog) const;

private:
  poplar::Graph &graph_;
  const std::vector<poplar::Tensor> &inputs_;
  const ExpressionTypes types_;
  const poplar::DebugContext debugContext_;
  poplar::Tensor out_;
  std::map<unsigned, unsigned> fieldOf_; // the field of each input that is used, from 1
  bool isPossible_ = true;
  using Costs = std::vector<std::function<std::uint64_t(std::uint64_t elements)>>;
  Costs costs_;       // of every operation, without loads and stores
  poplar::Type type_; // of the result
  std::string value_;

  bool fits(const poplar::Tensor &out) const;
  std::string text(const expr::Expr &e, const poplar::Type &type);
  std::string constant(const expr::Const &c, const poplar::Type &type);
  std::string placeHolder(const expr::PlaceHolder &p);
  std::string cast(const expr::Cast &c);
  std::string unary(const expr::UnaryOp &u, const poplar::Type &type);
  std::string binary(const expr::BinaryOp &b, const poplar::Type &outer);
  std::string ternary(const expr::TernaryOp &t, const poplar::Type &outer);
  poplar::Type resultOf(const expr::Expr &e, const poplar::Type &type) const;
  std::vector<poplar::Tensor> operands() const;
  std::string source(const std::string &name) const;
  std::string codelet() const;
  poplar::PerfEstimateFunc estimator() const;
};

} // namespace popops
