// Single element-wise operations.
#pragma once

#include <poplar/Graph.hpp>
#include <popops/ExprOp.hpp>

#include <string>

namespace popops {

/// Names of operations in lower case, for messages and compute sets.
const char *nameOf(expr::UnaryOpType op);
const char *nameOf(expr::BinaryOpType op);
const char *nameOf(expr::TernaryOpType op);

/// The element type of the result. Throws poplibs_error if operands of this type are not supported.
poplar::Type resultType(expr::UnaryOpType op, const poplar::Type &in, const std::string &debugName);
poplar::Type resultType(expr::BinaryOpType op, const poplar::Type &in1, const poplar::Type &in2,
                        const std::string &debugName);
poplar::Type resultType(expr::TernaryOpType op, const poplar::Type &in1, const poplar::Type &in2,
                        const poplar::Type &in3, const std::string &debugName);

/// Append a program that writes the result to `out`, which has the result's type and shape.
void unaryOp(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &in, const poplar::Tensor &out,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
void binaryOp(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &in1, const poplar::Tensor &in2,
              const poplar::Tensor &out, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
void ternaryOp(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &in1, const poplar::Tensor &in2,
               const poplar::Tensor &in3, const poplar::Tensor &out, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext);

} // namespace popops
