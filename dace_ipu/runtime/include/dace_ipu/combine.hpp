// Folds partial results, one row a worker, into their target: a tree of at most two compute sets.
#ifndef DACE_IPU_COMBINE_HPP
#define DACE_IPU_COMBINE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace dace_ipu {

/// The vertex classes: `fold` writes its result, `update` adds to what is there. Fields: partials, result, lanes, size.
struct CombineCodelets {
  const char *fold;
  const char *update;
};

/// target = op(target, partial[0], partial[1], ...). `partial` is {lanes, target's shape...}; complex numbers have two
/// `components` in a last dimension. With few elements, about the square root of the lanes goes into each first vertex.
void combine(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &partial,
             const poplar::Tensor &target, const CombineCodelets &codelets, unsigned components = 1);

} // namespace dace_ipu

#endif // DACE_IPU_COMBINE_HPP
