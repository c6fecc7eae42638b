// The shape of a convolution.
#ifndef poplin_ConvParams_hpp
#define poplin_ConvParams_hpp

#include <poplar/Type.hpp>

#include <cstddef>
#include <ostream>
#include <vector>

namespace poplin {

/// A convolution over any number of field dimensions. Sizes are in elements, lists hold one entry a field dimension.
///
/// Input and kernel are transformed first: truncated, dilated (`dilation` - 1 zeros between elements), padded with zeros, flipped. Then the
/// kernel slides over the input: out[x] = sum of in[x + k] * kernel[k]. Then the output is truncated, every `stride`-th element kept, and
/// padded with zeros.
struct ConvParams {
  struct InputTransform {
    std::vector<unsigned> truncationLower, truncationUpper, dilation, paddingLower, paddingUpper;
    std::vector<bool> flip;
    InputTransform() = default;
    /// No transform of a field of this many dimensions.
    explicit InputTransform(std::size_t dims);
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };
  struct OutputTransform {
    std::vector<unsigned> truncationLower, truncationUpper, stride, paddingLower, paddingUpper;
    OutputTransform() = default;
    explicit OutputTransform(std::size_t dims);
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> stride, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
  };

  poplar::Type inputType, outputType;
  std::size_t batchSize = 0;
  std::vector<std::size_t> inputFieldShape, kernelShape;
  std::size_t inputChannelsPerConvGroup = 0, outputChannelsPerConvGroup = 0, numConvGroups = 0;
  InputTransform inputTransform, kernelTransform;
  OutputTransform outputTransform;

  ConvParams() = default;
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels, std::size_t outputChannels,
             std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups);
  /// Throws poputil::poplibs_error if the transforms do not fit the shapes.
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups, InputTransform inputTransform,
             InputTransform kernelTransform, OutputTransform outputTransform);

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::size_t getBatchSize() const { return batchSize; }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  const std::vector<std::size_t> &getInputFieldShape() const { return inputFieldShape; }
  const std::vector<std::size_t> &getKernelShape() const { return kernelShape; }
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;
  /// Size of the output before its transform.
  unsigned getUntransformedOutputSize(unsigned dim) const;
  std::size_t getOutputSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;
  std::size_t getInputHeight() const { return inputFieldShape[inputFieldShape.size() - 2]; }
  std::size_t getInputWidth() const { return inputFieldShape[inputFieldShape.size() - 1]; }
  std::size_t getOutputHeight() const { return getOutputSize(static_cast<unsigned>(inputFieldShape.size() - 2)); }
  std::size_t getOutputWidth() const { return getOutputSize(static_cast<unsigned>(inputFieldShape.size() - 1)); }
  void validate() const;

  friend bool operator<(const ConvParams &a, const ConvParams &b);
  friend bool operator==(const ConvParams &a, const ConvParams &b) { return !(a < b) && !(b < a); }
  friend bool operator!=(const ConvParams &a, const ConvParams &b) { return !(a == b); }
};

std::ostream &operator<<(std::ostream &os, const ConvParams &params);

} // namespace poplin

#endif
