// Folds partial results, one row a worker, into their target: a tree of compute sets.
#ifndef DACE_IPU_COMBINE_HPP
#define DACE_IPU_COMBINE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace dace_ipu {

/// The vertex classes: `fold` makes fewer partial results, `last` writes the target, or goes on from what is there.
/// Fields: partials, result, lanes, size.
struct CombineCodelets {
  const char *fold;
  const char *last = fold;
};

/// Folds `partial`, {lanes, target's shape...}, into `target`; complex numbers have two `components` in a last
/// dimension. The tree has as many levels as make it fast: every level costs a compute set and an exchange.
void combine(poplar::Graph &graph, poplar::program::Sequence &sequence, const poplar::Tensor &partial,
             const poplar::Tensor &target, const CombineCodelets &codelets, unsigned components = 1);

} // namespace dace_ipu

#endif // DACE_IPU_COMBINE_HPP
