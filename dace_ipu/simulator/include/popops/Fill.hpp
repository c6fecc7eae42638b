// Fill tensors with one value.
#ifndef popops_Fill_hpp
#define popops_Fill_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Appends programs that set every element of `t`, of any shape and mapped anywhere, to `fillValue`, which is converted
/// to the type of `t`.
///
/// Every tile fills what it holds. Throws poplar::graph_connection_error at the Engine if `t` contains constants.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
