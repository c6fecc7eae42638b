// Whether all elements are true.
#ifndef popops_AllTrue_hpp
#define popops_AllTrue_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// A BOOL scalar: whether no element of A (BOOL, INT or UNSIGNED_INT) is zero; true for no elements. Throws
/// poputil::poplibs_error for other types.
poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
