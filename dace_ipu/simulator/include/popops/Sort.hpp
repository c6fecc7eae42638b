// Sorting along a dimension, ascending.
#ifndef popops_Sort_hpp
#define popops_Sort_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

// Keys are FLOAT, HALF, INT or UNSIGNED_INT; values, of any type, have the shape of the keys. Equal keys keep their
// order. Throws poputil::poplibs_error for types, shapes and dimensions that do not fit.

poplar::Tensor sort(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
void sortInPlace(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {});
/// Returns the values in the order of the keys `k`.
poplar::Tensor sortKeyValue(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v, unsigned dim,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// Sorts both.
void sortKeyValueInPlace(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v, unsigned dim,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
