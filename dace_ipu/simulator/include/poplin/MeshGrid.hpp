// Grids of coordinates.
#ifndef poplin_MeshGrid_hpp
#define poplin_MeshGrid_hpp

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

/// A constant of `count` values (FLOAT or HALF) from `left` to `right`, evenly spaced, both included; spread linearly.
/// Throws poputil::poplibs_error for other types.
poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right, std::size_t count,
                        const poplar::DebugContext &debugContext = {});

/// Views [y, x] of the vectors `x` and `y`: the first one varies along the columns, the second one along the rows.
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x, poplar::Tensor y);

} // namespace poplin

#endif
