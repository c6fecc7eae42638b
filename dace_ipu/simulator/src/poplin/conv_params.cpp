#include <poplin/ConvParams.hpp>

#include <poputil/exceptions.hpp>

#include <sstream>
#include <tuple>

namespace poplin {

using Unsigneds = std::vector<unsigned>;

ConvParams::InputTransform::InputTransform(std::size_t dims)
    : truncationLower(dims, 0), truncationUpper(dims, 0), dilation(dims, 1), paddingLower(dims, 0),
      paddingUpper(dims, 0), flip(dims, false) {}

ConvParams::InputTransform::InputTransform(Unsigneds truncationLower, Unsigneds truncationUpper, Unsigneds dilation,
                                           Unsigneds paddingLower, Unsigneds paddingUpper, std::vector<bool> flip)
    : truncationLower(std::move(truncationLower)), truncationUpper(std::move(truncationUpper)),
      dilation(std::move(dilation)), paddingLower(std::move(paddingLower)), paddingUpper(std::move(paddingUpper)),
      flip(std::move(flip)) {}

ConvParams::OutputTransform::OutputTransform(std::size_t dims)
    : truncationLower(dims, 0), truncationUpper(dims, 0), stride(dims, 1), paddingLower(dims, 0),
      paddingUpper(dims, 0) {}

ConvParams::OutputTransform::OutputTransform(Unsigneds truncationLower, Unsigneds truncationUpper, Unsigneds stride,
                                             Unsigneds paddingLower, Unsigneds paddingUpper)
    : truncationLower(std::move(truncationLower)), truncationUpper(std::move(truncationUpper)),
      stride(std::move(stride)), paddingLower(std::move(paddingLower)), paddingUpper(std::move(paddingUpper)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape, std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups)
    : ConvParams(dataType, dataType, batchSize, std::move(inputFieldShape), std::move(kernelShape), inputChannels,
                 outputChannels, numConvGroups) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups)
    : ConvParams(inputType, outputType, batchSize, inputFieldShape, kernelShape, inputChannels, outputChannels,
                 numConvGroups, InputTransform(inputFieldShape.size()), InputTransform(kernelShape.size()),
                 OutputTransform(inputFieldShape.size())) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups,
                       InputTransform inputTransform, InputTransform kernelTransform, OutputTransform outputTransform)
    : inputType(inputType), outputType(outputType), batchSize(batchSize), inputFieldShape(std::move(inputFieldShape)),
      kernelShape(std::move(kernelShape)), inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels), numConvGroups(numConvGroups),
      inputTransform(std::move(inputTransform)), kernelTransform(std::move(kernelTransform)),
      outputTransform(std::move(outputTransform)) {
  validate();
}

namespace {

[[noreturn]] void fail(const ConvParams &params, const std::string &what) {
  std::ostringstream text;
  text << "convolution " << params << ": " << what;
  throw poputil::poplibs_error(text.str());
}

// Size of a dimension after a transform; negative if more is truncated than there is.
long transformedSize(std::size_t size, const ConvParams::InputTransform &t, unsigned dim) {
  const long rest = static_cast<long>(size) - t.truncationLower[dim] - t.truncationUpper[dim];
  if (rest < 0)
    return rest;
  const long dilated = rest == 0 ? 0 : (rest - 1) * static_cast<long>(t.dilation[dim]) + 1;
  return dilated + t.paddingLower[dim] + t.paddingUpper[dim];
}

bool hasSize(const ConvParams::InputTransform &t, std::size_t n) {
  return t.truncationLower.size() == n && t.truncationUpper.size() == n && t.dilation.size() == n &&
         t.paddingLower.size() == n && t.paddingUpper.size() == n && t.flip.size() == n;
}

bool hasSize(const ConvParams::OutputTransform &t, std::size_t n) {
  return t.truncationLower.size() == n && t.truncationUpper.size() == n && t.stride.size() == n &&
         t.paddingLower.size() == n && t.paddingUpper.size() == n;
}

} // namespace

void ConvParams::validate() const {
  const std::size_t n = inputFieldShape.size();
  if (kernelShape.size() != n)
    fail(*this, "field and kernel have different numbers of dimensions");
  if (!hasSize(inputTransform, n) || !hasSize(kernelTransform, n) || !hasSize(outputTransform, n))
    fail(*this, "every list of a transform needs one entry a field dimension");
  for (unsigned d = 0; d < n; ++d) {
    if (inputTransform.dilation[d] == 0 || kernelTransform.dilation[d] == 0 || outputTransform.stride[d] == 0)
      fail(*this, "dilation and stride must not be zero");
    const long in = transformedSize(inputFieldShape[d], inputTransform, d);
    const long kernel = transformedSize(kernelShape[d], kernelTransform, d);
    if (in < 0 || kernel < 0)
      fail(*this, "more is truncated than there is");
    if (kernel < 1 || in < kernel)
      fail(*this, "the kernel, " + std::to_string(kernel) + " elements after its transform, does not fit the input of " +
                      std::to_string(in));
    if (in - kernel + 1 < static_cast<long>(outputTransform.truncationLower[d] + outputTransform.truncationUpper[d]))
      fail(*this, "more of the output is truncated than there is");
  }
}

unsigned ConvParams::getTransformedInputSize(unsigned dim) const {
  return static_cast<unsigned>(transformedSize(inputFieldShape[dim], inputTransform, dim));
}

unsigned ConvParams::getTransformedKernelSize(unsigned dim) const {
  return static_cast<unsigned>(transformedSize(kernelShape[dim], kernelTransform, dim));
}

unsigned ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return getTransformedInputSize(dim) - getTransformedKernelSize(dim) + 1;
}

std::size_t ConvParams::getOutputSize(unsigned dim) const {
  const OutputTransform &t = outputTransform;
  const std::size_t kept = getUntransformedOutputSize(dim) - t.truncationLower[dim] - t.truncationUpper[dim];
  return (kept + t.stride[dim] - 1) / t.stride[dim] + t.paddingLower[dim] + t.paddingUpper[dim];
}

std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d < getNumFieldDims(); ++d)
    shape.push_back(getOutputSize(d));
  return shape;
}

namespace {

auto tied(const ConvParams::InputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper, t.flip);
}
auto tied(const ConvParams::OutputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
auto tied(const ConvParams &p) {
  return std::tuple_cat(std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape,
                                 p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups),
                        tied(p.inputTransform), tied(p.kernelTransform), tied(p.outputTransform));
}

template <typename T> std::ostream &list(std::ostream &os, const std::vector<T> &values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    os << (i ? "," : "{") << values[i];
  return os << (values.empty() ? "{}" : "}");
}

} // namespace

bool operator<(const ConvParams &a, const ConvParams &b) { return tied(a) < tied(b); }

std::ostream &operator<<(std::ostream &os, const ConvParams &p) {
  os << "(" << p.inputType << " to " << p.outputType << ", batch " << p.batchSize << ", field ";
  list(os, p.inputFieldShape) << ", kernel ";
  list(os, p.kernelShape) << ", " << p.numConvGroups << " groups of " << p.inputChannelsPerConvGroup << " to "
                          << p.outputChannelsPerConvGroup << " channels, input padding ";
  list(os, p.inputTransform.paddingLower) << " and ";
  list(os, p.inputTransform.paddingUpper) << ", stride ";
  return list(os, p.outputTransform.stride) << ")";
}

} // namespace poplin
