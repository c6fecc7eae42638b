// Constants that are copied to where they are needed.
#ifndef DACE_IPU_FILL_HPP
#define DACE_IPU_FILL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

namespace dace_ipu {

/// A constant of the shape and type of `tensor` with one value for all elements, each on the tile of that element of
/// `tensor`: copying it to `tensor` exchanges nothing.
template <typename T> poplar::Tensor constantLike(poplar::Graph &graph, const poplar::Tensor &tensor, T value) {
  const poplar::Tensor result = graph.addConstant(tensor.elementType(), tensor.shape(), value);
  graph.setTileMapping(result, graph.getTileMapping(tensor));
  return result;
}

} // namespace dace_ipu

#endif // DACE_IPU_FILL_HPP
