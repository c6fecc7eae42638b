// Pooling.
#ifndef popnn_Pooling_hpp
#define popnn_Pooling_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/PoolingDef.hpp>

#include <vector>

namespace popnn {
namespace pooling {

/// Pooling over windows of `kernelShape`, `stride` apart, of an input [batch, channels, field...] of any number of field dimensions. Lists hold one
/// entry a field dimension. Negative padding truncates. An average counts only what is no padding.
struct PoolParams {
  PoolingType poolingType;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::vector<unsigned> stride;
  std::vector<int> inputTruncationOrPaddingLower;
  std::vector<int> inputTruncationOrPaddingUpper;
  std::size_t numChannels;
  std::size_t batchSize;
  poplar::Type dType;

  PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::vector<unsigned> stride, std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels, std::size_t batchSize,
             poplar::Type dType)
      : poolingType(poolingType), inputFieldShape(std::move(inputFieldShape)), kernelShape(std::move(kernelShape)),
        stride(std::move(stride)), inputTruncationOrPaddingLower(std::move(inputTruncationOrPaddingLower)),
        inputTruncationOrPaddingUpper(std::move(inputTruncationOrPaddingUpper)), numChannels(numChannels),
        batchSize(batchSize), dType(dType) {}

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  /// Throws poputil::poplibs_error if the window does not fit.
  std::vector<std::size_t> getOutputFieldShape() const;
};

/// The pooled tensor [batch, channels, output field...], FLOAT or HALF. Sums are kept in float.
/// Throws poputil::poplibs_error for shapes and types that do not fit. Options: poolUseIntrospectiveMapping, no effect.
poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

/// The gradient of the input of max pooling. Every element that equals the maximum of its window gets the gradient, or with `useScaledGradient` an
/// equal share of it.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                                 const poplar::Tensor &pooled, const poplar::Tensor &pooledGradient,
                                 bool useScaledGradient, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});
/// The gradient of the input of average and sum pooling. `fwdChansPerGroup` has no effect.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, unsigned fwdChansPerGroup,
                                 const poplar::Tensor &pooledGradient, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

} // namespace pooling
} // namespace popnn

#endif
