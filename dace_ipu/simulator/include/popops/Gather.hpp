// Gathering slices.
#ifndef popops_Gather_hpp
#define popops_Gather_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// PopLibs splits inputs that are longer along the axis; here rows are spread over tiles as the input is mapped, and the
/// limit has no effect.
struct GatherParams {
  std::size_t maxElementsPerTile = 65535;

  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile_) : maxElementsPerTile(maxElementsPerTile_) {}
};

poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape, unsigned axis, GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});

/// input[..., indices, ...] at dimension `axis`: the shape of the input with that of the indices in place of `axis`.
/// Indices are UNSIGNED_INT or INT; those outside give zeros, or with the option remapOutOfBoundIndices element 0.
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices, unsigned axis,
                      poplar::program::Sequence &prog, GatherParams params,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &optionFlags = {});

poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape, const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap, const poplar::DebugContext &debugContext = {});

/// The gather of XLA (https://www.tensorflow.org/xla/operation_semantics#gather). Indices are not clamped: those outside
/// give zeros, windows that begin inside and run over the end go on at 0.
/// Throws poputil::poplibs_error for arguments that do not fit.
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices,
                      std::size_t indexVectorDim, const std::vector<std::size_t> &offsetDims,
                      const std::vector<std::size_t> &sliceSizes, const std::vector<std::size_t> &collapsedSliceDims,
                      const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &optionFlags = {});

} // namespace popops

#endif
