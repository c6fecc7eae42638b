// Matrix products of any number of dimensions, by poplin, which plans them for the matrix unit.
#ifndef DACE_IPU_PRODUCT_HPP
#define DACE_IPU_PRODUCT_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace dace_ipu {

/// A tensor and the index that runs along each of its dimensions: a letter, or '.' along one with a single element.
struct Operand {
  poplar::Tensor tensor;
  std::string indices;
};

/// The same for a tensor that does not exist yet.
struct OperandShape {
  std::vector<std::size_t> shape;
  std::string indices;
};

/// What the functions below need in a graph.
void addProductCodelets(poplar::Graph &graph);

/// target = left * right, summed over the indices that the target does not have: {A, "ik"}, {B, "kj"}, {C, "ij"}.
/// The element types are FLOAT or HALF, the same for all.
void multiply(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
              const Operand &target, const std::string &name);

/// The same for a FLOAT matrix that lies in a grid of blocks, on one side, and a vector on the other: the matrix stays
/// where it is. Where that is not so, it is multiply().
void multiplyInPlace(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left,
                     const Operand &right, const Operand &target, const std::string &name);

/// target += left * right.
void multiplyAdd(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
                 const Operand &target, const std::string &name);

/// A variable of the shape of the left (right) operand, mapped so that the product need not rearrange it.
poplar::Tensor leftOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                           const OperandShape &right, const std::string &target, const std::string &name);
poplar::Tensor rightOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                            const OperandShape &right, const std::string &target, const std::string &name);

} // namespace dace_ipu

#endif // DACE_IPU_PRODUCT_HPP
