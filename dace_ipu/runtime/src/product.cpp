#include <dace_ipu/product.hpp>

#include "grid_product.hpp"
#include "turned_blocks.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
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

/// How many elements a tile may fetch one by one: the exchange takes about 12 bytes of code for each.
constexpr std::size_t mostSinglePieces = 16384;

/// How many elements of a matrix a tile may hold a second and a third time.
constexpr std::size_t mostAtOnce = 32768;

/// Whether poplin would fetch so many single elements of a matrix: it needs runs along the sum, and in rows of something
/// else these are single elements.
bool comesInPieces(const poplar::Graph &graph, const OperandShape &operand, const std::string &target) {
  const std::string &indices = operand.indices;
  const std::size_t onEach = product(operand.shape) / graph.getTarget().getNumTiles();
  return indices.size() == 2 && !has(target, indices.front()) && has(target, indices.back()) &&
         onEach > mostSinglePieces;
}

/// Maps a matrix to tiles in a grid of blocks, as square as the number of tiles lets them be.
void mapToGrid(poplar::Graph &graph, const poplar::Tensor &matrix) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const std::size_t down = static_cast<std::size_t>(std::sqrt(static_cast<double>(tiles))), across = tiles / down;
  for (std::size_t i = 0; i < down; ++i)
    for (std::size_t j = 0; j < across; ++j)
      graph.setTileMapping(matrix.slice({matrix.dim(0) * i / down, matrix.dim(1) * j / across},
                                        {matrix.dim(0) * (i + 1) / down, matrix.dim(1) * (j + 1) / across}),
                           static_cast<unsigned>(i * across + j));
}

poplar::Tensor gridVariable(poplar::Graph &graph, const poplar::Type &type, const Shape &shape,
                            const std::string &name) {
  const poplar::Tensor tensor = graph.addVariable(type, shape, name);
  mapToGrid(graph, tensor);
  return tensor;
}

/// A matrix in the blocks of a grid: itself, if it lies in one, or a copy.
poplar::Tensor inBlocks(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &matrix,
                        const std::string &name) {
  const poplar::Tensor blocks = gridVariable(graph, matrix.elementType(), matrix.shape(), name + "/blocks");
  if (graph.getTileMapping(matrix) == graph.getTileMapping(blocks))
    return matrix;
  sequence.add(poplar::program::Copy(matrix, blocks));
  return blocks;
}

/// A part of a tensor along one dimension: of each run that a grid has there, or would have, the same share.
poplar::Tensor part(const poplar::Graph &graph, const poplar::Tensor &tensor, unsigned dimension, std::size_t index,
                    std::size_t count) {
  const std::size_t tiles = graph.getTarget().getNumTiles(), size = tensor.dim(dimension);
  const std::size_t across = tiles / static_cast<std::size_t>(std::sqrt(static_cast<double>(tiles)));
  std::vector<poplar::Tensor> slices;
  for (std::size_t j = 0; j < across; ++j) {
    const std::size_t begin = size * j / across, length = size * (j + 1) / across - begin;
    slices.push_back(
        tensor.slice(begin + length * index / count, begin + length * (index + 1) / count, dimension));
  }
  return poplar::concat(slices, dimension);
}

/// Computes a part of the target from the operand that makes it, in runs.
using Multiply = std::function<void(const Operand &operand, const Operand &target)>;

/// A large matrix in rows that are not summed over in a layout of which poplin can fetch runs:
/// blocks of rows move first, each tile transposes its own, and what poplin gets is a view of that. What comes in pieces
/// is there three times then; a very large one goes through in parts, one after the other.
void inRuns(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &operand, const Operand &target,
            const std::string &name, const Multiply &multiply) {
  const poplar::Tensor &tensor = operand.tensor;
  if (!comesInPieces(graph, {tensor.shape(), operand.indices}, target.indices))
    return multiply(operand, target);
  const poplar::Tensor blocks = inBlocks(graph, sequence, tensor, name);
  const std::size_t onEach = tensor.numElements() / graph.getTarget().getNumTiles();
  const std::size_t parts = std::min((onEach + mostAtOnce - 1) / mostAtOnce, tensor.dim(1));
  for (std::size_t k = 0; k < parts; ++k) {
    const poplar::Tensor own = part(graph, blocks, 1, k, parts);
    if (own.numElements() == 0)
      continue;
    const poplar::Tensor turned = turnedBlocks(graph, sequence, own, name + "/turned");
    const unsigned along = static_cast<unsigned>(target.indices.find(operand.indices.back()));
    multiply({turned.transpose(), operand.indices}, {part(graph, target.tensor, along, k, parts), target.indices});
  }
}

/// Whether the operands change places. A product has no sides in this notation, but its plan does: what is much larger
/// than the other operand takes half of the memory on the left.
bool isBetterTurned(std::size_t left, std::size_t right) { return left < right; }

/// A product as poplin takes it.
struct Matrices {
  poplar::Tensor left, right, target;

  Matrices(const Operand &a, const Operand &b, const Operand &c) {
    const Roles roles(a.indices, b.indices, c.indices);
    left = matrix(a, roles.groups, roles.rows, roles.depth);
    right = matrix(b, roles.groups, roles.depth, roles.columns);
    target = matrix(c, roles.groups, roles.rows, roles.columns);
  }
};

/// One operand of a product, the left one or the right one.
struct Side {
  const OperandShape &left, &right;
  const std::string &target;
  bool isLeft;
};

/// A variable of the shape of the operand, in the layout of the plan.
poplar::Tensor operand(poplar::Graph &graph, const poplar::Type &type, const Side &side, const std::string &name) {
  const auto &[left, right, target, isLeft] = side;
  if (isBetterTurned(product(left.shape), product(right.shape)))
    return operand(graph, type, {right, left, target, !isLeft}, name);
  const Roles roles(left.indices, right.indices, target);
  const Shape a = matrixShape(left, roles.groups, roles.rows, roles.depth);
  const Shape b = matrixShape(right, roles.groups, roles.depth, roles.columns);
  const OperandShape &own = isLeft ? left : right;
  if (product(a) == 0 || product(b) == 0)
    return plainVariable(graph, type, own.shape, name);
  if (comesInPieces(graph, own, target))
    return gridVariable(graph, type, own.shape, name);
  if (isLeft)
    return fromMatrix(poplin::createMatMulGroupedInputLHS(graph, type, type, a, b, {name}), own,
                      roles.groups + roles.rows + roles.depth);
  return fromMatrix(poplin::createMatMulGroupedInputRHS(graph, type, type, a, b, {name}), own,
                    roles.groups + roles.depth + roles.columns);
}

} // namespace

void addProductCodelets(poplar::Graph &graph) {
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
}

void multiply(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
              const Operand &target, const std::string &name) {
  if (isBetterTurned(left.tensor.numElements(), right.tensor.numElements()))
    return multiply(graph, sequence, right, left, target, name);
  if (target.tensor.numElements() == 0)
    return;
  if (left.tensor.numElements() == 0) {
    popops::zero(graph, target.tensor, sequence, {name});
    return;
  }
  inRuns(graph, sequence, left, target, name, [&](const Operand &a, const Operand &c) {
    inRuns(graph, sequence, right, c, name, [&](const Operand &b, const Operand &d) {
      const Matrices all(a, b, d);
      const poplar::Tensor result =
          poplin::matMulGrouped(graph, all.left, all.right, sequence, d.tensor.elementType(), {name});
      sequence.add(poplar::program::Copy(result, all.target));
    });
  });
}

void multiplyInPlace(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left,
                     const Operand &right, const Operand &target, const std::string &name) {
  if (left.tensor.rank() < right.tensor.rank())
    return multiplyInPlace(graph, sequence, right, left, target, name);
  const bool isOne = left.indices.size() == 2 && right.indices.size() == 1 && target.indices.size() == 1 &&
                     !has(left.indices + right.indices + target.indices, '.');
  const Grid grid = isOne ? Grid(graph, left.tensor) : Grid();
  if (grid.tiles.empty())
    return multiply(graph, sequence, left, right, target, name);
  const bool isAcross = left.indices.front() == right.indices.front();
  multiplyOnGrid(graph, sequence, left.tensor, grid, right.tensor, target.tensor, isAcross, name);
}

void multiplyAdd(poplar::Graph &graph, poplar::program::Sequence &sequence, const Operand &left, const Operand &right,
                 const Operand &target, const std::string &name) {
  if (isBetterTurned(left.tensor.numElements(), right.tensor.numElements()))
    return multiplyAdd(graph, sequence, right, left, target, name);
  if (target.tensor.numElements() == 0 || left.tensor.numElements() == 0)
    return;
  inRuns(graph, sequence, left, target, name, [&](const Operand &a, const Operand &c) {
    inRuns(graph, sequence, right, c, name, [&](const Operand &b, const Operand &d) {
      const Matrices all(a, b, d);
      poplin::matMulGroupedAcc(graph, all.target, 1.0f, all.left, all.right, sequence, {name});
    });
  });
}

poplar::Tensor leftOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                           const OperandShape &right, const std::string &target, const std::string &name) {
  return operand(graph, type, {left, right, target, true}, name);
}

poplar::Tensor rightOperand(poplar::Graph &graph, const poplar::Type &type, const OperandShape &left,
                            const OperandShape &right, const std::string &target, const std::string &name) {
  return operand(graph, type, {left, right, target, false}, name);
}

} // namespace dace_ipu
