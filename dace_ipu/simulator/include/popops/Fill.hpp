// Fill tensors with one value.
#ifndef popops_Fill_hpp
#define popops_Fill_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

/// Appends programs that set every element of `t`, of any shape and mapped anywhere, to `fillValue`, which is converted
/// to the type of `t`.
///
/// Every tile fills what it holds. Throws poplar::graph_connection_error at the Engine if `t` contains constants.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext = {});

/// The same as vertices of a compute set of the caller: for the elements `tileRegions` of the flattened tensor on one
/// tile, for all elements on one tile, and for a mapping.
template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions, unsigned tile,
          poplar::ComputeSet fillCS, FillValueType fillValue);
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet fillCS,
          FillValueType fillValue);
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, const std::vector<std::vector<poplar::Interval>> &mapping,
          poplar::ComputeSet fillCS, FillValueType fillValue);

} // namespace popops

#endif
