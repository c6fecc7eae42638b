#include <dace_ipu/product.hpp>

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <functional>
#include <numeric>

namespace dace_ipu {

namespace {

using Shape = std::vector<std::size_t>;

bool has(const std::string &indices, char index) { return indices.find(index) != indices.npos; }

/// The indices of a product by what they do: those of all three, of the left and the target, of both operands, of the
/// right and the target.
struct Roles {
  std::string groups, rows, depth, columns;

  Roles(const std::string &left, const std::string &right, const std::string &target) {
    for (char index : left)
      if (index != '.')
        (!has(target, index) ? depth : has(right, index) ? groups : rows) += index;
    for (char index : right)
      if (index != '.' && !has(left, index))
        columns += index;
  }
};

std::size_t product(const Shape &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t(1), std::multiplies<std::size_t>());
}

/// How many elements some indices run over, along the dimensions of one operand.
Shape sizesOf(const std::string &which, const Shape &shape, const std::string &indices) {
  Shape sizes;
  for (char index : which)
    sizes.push_back(shape[indices.find(index)]);
  return sizes;
}

/// The shape {groups, a, b} of an operand for poplin.
Shape matrixShape(const OperandShape &operand, const std::string &groups, const std::string &a, const std::string &b) {
  Shape shape;
  for (const std::string &which : {groups, a, b})
    shape.push_back(product(sizesOf(which, operand.shape, operand.indices)));
  return shape;
}

/// A view of an operand as {groups, a, b}.
poplar::Tensor matrix(const Operand &operand, const std::string &groups, const std::string &a, const std::string &b) {
  const std::string order = groups + a + b;
  std::string letters;
  for (char index : operand.indices)
    if (index != '.')
      letters += index;
  std::vector<unsigned> permutation;
  for (char index : order)
    permutation.push_back(static_cast<unsigned>(letters.find(index)));
  const Shape shape = operand.tensor.shape();
  return operand.tensor.reshape(sizesOf(letters, shape, operand.indices))
      .dimShuffle(permutation)
      .reshape(matrixShape({shape, operand.indices}, groups, a, b));
}

/// The view of a tensor {groups, a, b} that has the shape of an operand: what matrix() is undone by.
poplar::Tensor fromMatrix(const poplar::Tensor &tensor, const OperandShape &operand, const std::string &order) {
  std::vector<unsigned> permutation;
  for (char index : operand.indices)
    if (index != '.')
      permutation.push_back(static_cast<unsigned>(order.find(index)));
  return tensor.reshape(sizesOf(order, operand.shape, operand.indices)).dimShuffle(permutation).reshape(operand.shape);
}

poplar::Tensor plainVariable(poplar::Graph &graph, const poplar::Type &type, const Shape &shape,
                             const std::string &name) {
  const poplar::Tensor tensor = graph.addVariable(type, shape, name);
  poputil::mapTensorLinearly(graph, tensor);
  return tensor;
}

/// A product as poplin takes it.
struct Matrices {
  poplar::Tensor left, right, target;

  Matrices(const Operand &a, const Operand &b, const Operand &c) {
    const Roles roles(a.indices, b.indices, c.indices);
    left = matrix(a, roles.groups, roles.rows, roles.depth);
    right = matrix(b, roles.groups, roles.depth, roles.columns);
    target = matrix(c, roles.groups, roles.rows, roles.columns);
  }

  bool isEmpty() const { return target.numElements() == 0; }
  bool hasTerms() const { return left.dim(2) != 0; }
};

} // namespace

void addProductCodelets(poplar::Graph &graph) {
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
}

void multiply(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
              const Operand &target, const std::string &name) {
  const Matrices all(left, right, target);
  if (all.isEmpty())
    return;
  if (!all.hasTerms()) {
    popops::zero(graph, target.tensor, sequence, {name});
    return;
  }
  const poplar::Tensor result =
      poplin::matMulGrouped(graph, all.left, all.right, sequence, target.tensor.elementType(), {name});
  sequence.add(poplar::program::Copy(result, all.target));
}

void multiplyAdd(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
                 const Operand &target, const std::string &name) {
  const Matrices all(left, right, target);
  if (!all.isEmpty() && all.hasTerms())
    poplin::matMulGroupedAcc(graph, all.target, 1.0f, all.left, all.right, sequence, {name});
}

poplar::Tensor leftOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                           const OperandShape &right, const std::string &target, const std::string &name) {
  const Roles roles(left.indices, right.indices, target);
  const Shape a = matrixShape(left, roles.groups, roles.rows, roles.depth);
  const Shape b = matrixShape(right, roles.groups, roles.depth, roles.columns);
  if (product(a) == 0 || product(b) == 0)
    return plainVariable(graph, type, left.shape, name);
  const poplar::Tensor tensor = poplin::createMatMulGroupedInputLHS(graph, type, type, a, b, {name});
  return fromMatrix(tensor, left, roles.groups + roles.rows + roles.depth);
}

poplar::Tensor rightOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                            const OperandShape &right, const std::string &target, const std::string &name) {
  const Roles roles(left.indices, right.indices, target);
  const Shape a = matrixShape(left, roles.groups, roles.rows, roles.depth);
  const Shape b = matrixShape(right, roles.groups, roles.depth, roles.columns);
  if (product(a) == 0 || product(b) == 0)
    return plainVariable(graph, type, right.shape, name);
  const poplar::Tensor tensor = poplin::createMatMulGroupedInputRHS(graph, type, type, a, b, {name});
  return fromMatrix(tensor, right, roles.groups + roles.depth + roles.columns);
}

} // namespace dace_ipu
