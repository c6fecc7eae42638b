// Clones, casts on the host, and factored dimensions.
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <cstdint>

namespace poputil {

using poplar::Tensor;

Tensor duplicate(poplar::Graph &graph, const Tensor &in, poplar::program::Sequence &p,
                 const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  const Tensor copy = graph.clone(in, {debugContext, "duplicate"}, method);
  if (method == poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES && copy.containsAliases())
    throw poplibs_error("duplicate (" + debugContext.getPathName() + "): a tensor with aliases cannot be copied into");
  p.add(poplar::program::Copy(in, copy, false, debugContext));
  return copy;
}

Tensor cloneN(poplar::Graph &graph, const Tensor &t, unsigned N, const poplar::DebugContext &debugContext,
              poplar::TensorCloneMethod method) {
  return graph.cloneN(t, N, debugContext, method);
}

std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount <= 0)
    throw poplibs_error("balancedPartition: the number of parts must be positive");
  std::vector<int> sizes(static_cast<std::size_t>(splitCount), rangeUpperBound / splitCount);
  for (int i = 0; i < rangeUpperBound % splitCount; ++i)
    ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

double castToDeviceHalfValue(const poplar::Target &target, double input) {
  const auto value = static_cast<float>(input);
  std::uint16_t half;
  float result;
  poplar::copyFloatToDeviceHalf(target, &value, &half, 1);
  poplar::copyDeviceHalfToFloat(target, &half, &result, 1);
  return result;
}

bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType, poplar::Type outputType,
                           double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT)
    return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error("checkAccuracyWhenCast: casts between float and half only, not " + inputType.toString() +
                        " to " + outputType.toString());
  const double value = static_cast<float>(input);
  return std::fabs(value) * tolerance > std::fabs(castToDeviceHalfValue(target, value) - value);
}

Tensor factorDims(const Tensor &t, const std::vector<std::size_t> &factors, unsigned startDim) {
  const auto n = static_cast<unsigned>(factors.size());
  std::vector<std::size_t> factored;
  std::vector<unsigned> order;
  for (unsigned d = 0; d < n; ++d) {
    const std::size_t size = t.dim(startDim + d);
    if (factors[d] == 0 || size % factors[d] != 0)
      throw poplibs_error("factorDims: " + std::to_string(factors[d]) + " does not divide dimension " +
                          std::to_string(startDim + d) + " of " + t.shapeToString());
    factored.push_back(size / factors[d]);
    factored.push_back(factors[d]);
  }
  const Tensor split = t.reshapePartial(startDim, startDim + n, factored);
  for (unsigned d = 0; d < split.rank(); ++d)
    order.push_back(d);
  for (unsigned d = 0; d < n; ++d) {
    order[startDim + d] = startDim + 2 * d;
    order[startDim + n + d] = startDim + 2 * d + 1;
  }
  return split.dimShuffle(order);
}

Tensor unfactorDims(const Tensor &t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error("unfactorDims: " + t.shapeToString() + " has too few dimensions");
  std::vector<unsigned> order;
  std::vector<std::size_t> sizes;
  for (unsigned d = 0; d < t.rank(); ++d)
    order.push_back(d);
  for (unsigned d = 0; d < numDims; ++d) {
    order[startDim + 2 * d] = startDim + d;
    order[startDim + 2 * d + 1] = startDim + numDims + d;
    sizes.push_back(t.dim(startDim + d) * t.dim(startDim + numDims + d));
  }
  return t.dimShuffle(order).reshapePartial(startDim, startDim + 2 * numDims, sizes);
}

} // namespace poputil
