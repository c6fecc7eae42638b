#include <poputil/exceptions.hpp>
#include <popops/Pad.hpp>

#include <functional>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;
using Amounts = std::vector<std::ptrdiff_t>;

namespace {

/// Makes `count` layers of padding for a tensor along a dimension, below or above it.
using MakeLayers = std::function<Tensor(const Tensor &t, std::size_t count, unsigned dim, bool isLower)>;

Tensor truncated(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim) {
  const auto size = static_cast<std::ptrdiff_t>(t.dim(dim));
  const std::ptrdiff_t begin = lower < 0 ? -lower : 0, end = size + (upper < 0 ? upper : 0);
  if (begin > end)
    throw poplibs_error("popops::pad: " + std::to_string(lower) + " and " + std::to_string(upper) +
                        " elements along dimension " + std::to_string(dim) + " of " + t.shapeToString() +
                        " leave less than nothing");
  return t.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), dim);
}

Tensor padDim(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim, const MakeLayers &make) {
  if (dim >= t.rank())
    throw poplibs_error("popops::pad: " + t.shapeToString() + " has no dimension " + std::to_string(dim));
  const Tensor middle = truncated(t, lower, upper, dim);
  std::vector<Tensor> parts;
  if (lower > 0)
    parts.push_back(make(middle, static_cast<std::size_t>(lower), dim, true));
  parts.push_back(middle);
  if (upper > 0)
    parts.push_back(make(middle, static_cast<std::size_t>(upper), dim, false));
  return parts.size() == 1 ? middle : concat(parts, dim);
}

Tensor padAll(Tensor t, const Amounts &lower, const Amounts &upper, const MakeLayers &make) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    throw poplibs_error("popops::pad: a tensor of shape " + t.shapeToString() + " needs " + std::to_string(t.rank()) +
                        " numbers of elements below and above, not " + std::to_string(lower.size()) + " and " +
                        std::to_string(upper.size()));
  for (unsigned d = 0; d < t.rank(); ++d)
    t = padDim(t, lower[d], upper[d], d, make);
  return t;
}

Tensor edgeLayer(const Tensor &t, unsigned dim, bool isLower) {
  const std::size_t size = t.dim(dim);
  if (size == 0)
    throw poplibs_error("popops::pad: " + t.shapeToString() + " has no edge along dimension " + std::to_string(dim));
  return isLower ? t.slice(0, 1, dim) : t.slice(size - 1, size, dim);
}

std::vector<std::size_t> layersShape(const Tensor &t, std::size_t count, unsigned dim) {
  std::vector<std::size_t> shape = t.shape();
  shape[dim] = count;
  return shape;
}

void mapLayers(Graph &graph, const Tensor &layers, const Tensor &t, unsigned dim, bool isLower,
               padding::MappingMethod method) {
  if (method == padding::MappingMethod::ZERO)
    graph.setTileMapping(layers, 0);
  if (method != padding::MappingMethod::EDGE)
    return;
  const auto mapping = graph.getTileMapping(edgeLayer(t, dim, isLower));
  for (std::size_t i = 0; i < layers.dim(dim); ++i)
    graph.setTileMapping(layers.slice(i, i + 1, dim), mapping);
}

template <typename T> MakeLayers constantLayers(Graph &graph, T value, padding::MappingMethod method) {
  return [&graph, value, method](const Tensor &t, std::size_t count, unsigned dim, bool isLower) {
    const Tensor layers = graph.addConstant(t.elementType(), layersShape(t, count, dim), value);
    mapLayers(graph, layers, t, dim, isLower, method);
    return layers;
  };
}

MakeLayers tensorLayers(const Tensor &value) {
  return [value](const Tensor &t, std::size_t count, unsigned dim, bool) {
    if (value.numElements() != 1 || value.elementType() != t.elementType())
      throw poplibs_error("popops::pad: the value has shape " + value.shapeToString() + " and type " +
                          value.elementType().toString() + "; needed is one element of " + t.elementType().toString());
    const std::vector<std::size_t> shape = layersShape(t, count, dim);
    std::size_t n = 1;
    for (const std::size_t s : shape)
      n *= s;
    return value.flatten().broadcast(static_cast<unsigned>(n), 0).reshape(shape);
  };
}

MakeLayers ownLayers(padding::Type type) {
  return [type](const Tensor &t, std::size_t count, unsigned dim, bool isLower) {
    if (type == padding::Type::EDGE)
      return edgeLayer(t, dim, isLower).broadcast(static_cast<unsigned>(count), dim);
    const std::size_t size = t.dim(dim);
    if (count >= size)
      throw poplibs_error("popops::pad: " + std::to_string(count) + " elements are no reflection of dimension " +
                          std::to_string(dim) + " of " + t.shapeToString());
    return (isLower ? t.slice(1, count + 1, dim) : t.slice(size - 1 - count, size - 1, dim)).reverse(dim);
  };
}

} // namespace

Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper, float val,
           padding::MappingMethod mappingMethod) {
  return padAll(t, paddingLower, paddingUpper, constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper, int val,
           padding::MappingMethod mappingMethod) {
  return padAll(t, paddingLower, paddingUpper, constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper, const Tensor &val,
           padding::MappingMethod) {
  return padAll(t, paddingLower, paddingUpper, tensorLayers(val));
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           float val, padding::MappingMethod mappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim, constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           int val, padding::MappingMethod mappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim, constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           const Tensor &val, padding::MappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim, tensorLayers(val));
}

Tensor pad(const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper, padding::Type type) {
  return padAll(t, paddingLower, paddingUpper, ownLayers(type));
}

Tensor pad(const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           padding::Type type) {
  return padDim(t, paddingLower, paddingUpper, dim, ownLayers(type));
}

} // namespace popops
