// Scattering slices.
#ifndef popops_Scatter_hpp
#define popops_Scatter_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace popops {

/// The scatter of XLA (https://www.tensorflow.org/xla/operation_semantics#scatter): writes the windows of `updates` into
/// `operand`, in order. Indices outside write nothing, windows that begin inside and run over the end go on at 0.
/// Throws poputil::poplibs_error for arguments that do not fit.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
             const poplar::Tensor &updates, std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &optionFlags = {});

/// Takes what is there and what comes, both with the shape of a window, and returns what shall be there.
using UpdateComputationFunc =
    std::function<poplar::Tensor(poplar::Graph &, poplar::Tensor &, poplar::Tensor &, poplar::program::Sequence &)>;

/// Windows are combined one after another, in a loop on the device.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
             const poplar::Tensor &updates, std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &optionFlags = {});

} // namespace popops

#endif
