#include "gather_scatter.hpp"
#include "shapes.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

namespace slice {

using namespace poplar;

Batch batchOf(const std::string &what, const Tensor &indices, std::size_t indexVectorDim, std::size_t length) {
  if (indexVectorDim > indices.rank())
    throw poputil::poplibs_error(what + ": there is no dimension " + std::to_string(indexVectorDim) +
                                 " in indices of shape " + text(indices.shape()));
  const unsigned last = indices.rank();
  const Tensor vectors = indexVectorDim == last ? indices.expand({last})
                                                : indices.dimRoll(static_cast<unsigned>(indexVectorDim), last - 1);
  std::vector<std::size_t> shape = vectors.shape();
  if (shape.back() != length)
    throw poputil::poplibs_error(what + ": indices of shape " + text(indices.shape()) + " hold vectors of " +
                                 std::to_string(shape.back()) + " elements, not " + std::to_string(length));
  shape.pop_back();
  std::size_t n = 1;
  for (std::size_t size : shape)
    n *= size;
  return {shape, vectors.reshape({n, length})};
}

std::vector<unsigned> withLast(std::size_t rank, const std::vector<std::size_t> &last) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d < rank; ++d)
    if (std::find(last.begin(), last.end(), d) == last.end())
      order.push_back(d);
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

Tensor cutTo(const Tensor &t, const std::vector<std::size_t> &sizes, const std::vector<std::size_t> &dims) {
  Tensor cut = t;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      cut = cut.slice(0, sizes[d], d);
  return cut;
}

} // namespace slice

using namespace poplar;
using slice::named;

Tensor createGatherInput(Graph &graph, const Type &type, const std::vector<std::size_t> &operandShape, unsigned axis,
                         GatherParams, const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, operandShape, {axis}, {1}, 0, debugContext);
}

Tensor createGatherInput(Graph &graph, const Type &type, const std::vector<std::size_t> &inputShape,
                         const std::vector<std::size_t> &sliceSizes, std::vector<unsigned> startIndexMap,
                         const DebugContext &debugContext) {
  std::vector<std::size_t> dims, sizes;
  for (unsigned d : startIndexMap) {
    dims.push_back(d);
    sizes.push_back(d < sliceSizes.size() ? sliceSizes[d] : 0);
  }
  return createSliceableTensor(graph, type, inputShape, dims, sizes, 0, debugContext);
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, unsigned axis, program::Sequence &prog,
              GatherParams, const DebugContext &debugContext, const OptionFlags &optionFlags) {
  const slice::Call call(named("gather", debugContext), input.shape(), {axis}, {std::min<std::size_t>(
      1, axis < input.rank() ? input.dim(axis) : 1)});
  const Tensor offsets = indices.flatten().expand({1});
  const Tensor slices = multiSlice(graph, input, offsets, {axis}, {1}, prog, {}, optionFlags, {debugContext, "gather"});
  std::vector<std::size_t> shape = input.shape();
  const std::vector<std::size_t> places = indices.shape();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, places.begin(), places.end());
  return slices.squeeze({axis + 1}).dimRoll(0, axis).reshape(shape);
}

namespace {

void checkGather(const std::string &what, const Tensor &input, const std::vector<std::size_t> &sliceSizes,
                 const std::vector<std::size_t> &collapsedSliceDims) {
  const auto fail = [&](const std::string &why) { throw poputil::poplibs_error(what + ": " + why); };
  if (sliceSizes.size() != input.rank())
    fail("slice sizes " + slice::text(sliceSizes) + " do not fit input of shape " + slice::text(input.shape()));
  for (unsigned d = 0; d < input.rank(); ++d)
    if (sliceSizes[d] > input.dim(d))
      fail("a slice of " + slice::text(sliceSizes) + " is larger than input of shape " + slice::text(input.shape()));
  for (std::size_t d : collapsedSliceDims)
    if (d >= input.rank() || sliceSizes[d] != 1)
      fail("dimension " + std::to_string(d) + " cannot be collapsed: its slice size must be 1");
}

} // namespace

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, std::size_t indexVectorDim,
              const std::vector<std::size_t> &offsetDims, const std::vector<std::size_t> &sliceSizes,
              const std::vector<std::size_t> &collapsedSliceDims, const std::vector<unsigned> &startIndexMap,
              program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &optionFlags) {
  const std::string what = named("gather", debugContext);
  checkGather(what, input, sliceSizes, collapsedSliceDims);
  const slice::Batch batch = slice::batchOf(what, indices, indexVectorDim, startIndexMap.size());
  std::vector<std::size_t> dims(startIndexMap.begin(), startIndexMap.end()), sizes;
  for (std::size_t d : dims)
    sizes.push_back(d < sliceSizes.size() ? sliceSizes[d] : 0);
  const slice::Call call(what, input.shape(), dims, sizes);
  const Tensor slices = multiSlice(graph, slice::cutTo(input, sliceSizes, dims), batch.offsets, dims, sizes, prog, {},
                                   optionFlags, {debugContext, "gather"});

  std::vector<std::size_t> shape = batch.shape;
  for (std::size_t d = 0; d < sliceSizes.size(); ++d)
    if (std::find(collapsedSliceDims.begin(), collapsedSliceDims.end(), d) == collapsedSliceDims.end())
      shape.push_back(sliceSizes[d]);
  if (shape.size() != batch.shape.size() + offsetDims.size())
    call.fail("offset dimensions " + slice::text(offsetDims) + " are not as many as dimensions of a collapsed slice");
  // Result dimensions that are no offset dimensions are the batch's, in order.
  const std::vector<unsigned> order = slice::withLast(shape.size(), offsetDims);
  if (order.size() != shape.size())
    call.fail("offset dimensions " + slice::text(offsetDims) + " are no dimensions of the result");
  std::vector<unsigned> back(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    back[order[i]] = i;
  return slices.reshape(shape).dimShuffle(back);
}

} // namespace popops
