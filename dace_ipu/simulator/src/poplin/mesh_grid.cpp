#include <poplin/MeshGrid.hpp>

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <vector>

namespace poplin {

using namespace poplar;

Tensor linspace(Graph &graph, const Type &type, float left, float right, std::size_t count, const DebugContext &dc) {
  if (type != FLOAT && type != HALF)
    throw poputil::poplibs_error("linspace '" + dc.getPathName() + "': the type " + type.toString() +
                                 " is not supported yet; there are float and half");
  std::vector<float> values(count, left);
  for (std::size_t i = 1; i < count; ++i)
    values[i] = left + (right - left) * static_cast<float>(i) / static_cast<float>(count - 1);
  const Tensor t = graph.addConstant(type, {count}, ArrayRef<float>(values), {dc, "linspace"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

std::vector<Tensor> meshgrid2d(Graph &, Tensor x, Tensor y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw poputil::poplibs_error("meshgrid2d: " + x.shapeToString() + " and " + y.shapeToString() +
                                 " are not two vectors");
  const auto nx = static_cast<unsigned>(x.numElements()), ny = static_cast<unsigned>(y.numElements());
  return {x.expand({0}).broadcast(ny, 0), y.expand({1}).broadcast(nx, 1)};
}

} // namespace poplin
