#include "gather_scatter.hpp"
#include "shapes.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

namespace popops {

using namespace poplar;
using slice::named;

namespace {

// A scatter as slices {n, window} of an operand.
struct Windows {
  Tensor operand, offsets, updates;
  std::vector<std::size_t> dims, sizes;
};

Windows windowsOf(const std::string &what, const Tensor &operand, const Tensor &indices, const Tensor &updates,
                  std::size_t indexVectorDim, const std::vector<unsigned> &updateWindowDims,
                  std::vector<std::size_t> insertWindowDims, const std::vector<unsigned> &scatterDimsToOperandDims) {
  const auto fail = [&](const std::string &why) { throw poputil::poplibs_error(what + ": " + why); };
  const slice::Batch batch = slice::batchOf(what, indices, indexVectorDim, scatterDimsToOperandDims.size());
  const std::vector<std::size_t> windowDims(updateWindowDims.begin(), updateWindowDims.end());
  const std::vector<unsigned> order = slice::withLast(updates.rank(), windowDims);
  if (order.size() != updates.rank() || windowDims.size() + insertWindowDims.size() != operand.rank() ||
      updates.rank() != batch.shape.size() + windowDims.size())
    fail("updates of shape " + slice::text(updates.shape()) + " with window dimensions " + slice::text(windowDims) +
         " do not fit indices of shape " + slice::text(indices.shape()) + " and operand of shape " +
         slice::text(operand.shape()));
  const Tensor ordered = updates.dimShuffle(order);
  const std::vector<std::size_t> shape = ordered.shape();
  if (!std::equal(batch.shape.begin(), batch.shape.end(), shape.begin()))
    fail("updates of shape " + slice::text(updates.shape()) + " do not fit indices of shape " +
         slice::text(indices.shape()));
  std::vector<std::size_t> window(shape.begin() + static_cast<std::ptrdiff_t>(batch.shape.size()), shape.end());
  std::sort(insertWindowDims.begin(), insertWindowDims.end());
  for (std::size_t d : insertWindowDims) {
    if (d > window.size())
      fail("there is no dimension " + std::to_string(d) + " to insert");
    window.insert(window.begin() + static_cast<std::ptrdiff_t>(d), 1);
  }
  for (unsigned d = 0; d < window.size(); ++d)
    if (window[d] > operand.dim(d))
      fail("a window of " + slice::text(window) + " is larger than operand of shape " + slice::text(operand.shape()));

  Windows w;
  w.dims.assign(scatterDimsToOperandDims.begin(), scatterDimsToOperandDims.end());
  for (std::size_t d : w.dims) {
    if (d >= window.size())
      fail("there is no dimension " + std::to_string(d) + " in operand of shape " + slice::text(operand.shape()));
    w.sizes.push_back(window[d]);
  }
  w.operand = slice::cutTo(operand, window, w.dims);
  w.offsets = batch.offsets;
  window.insert(window.begin(), batch.offsets.dim(0));
  w.updates = ordered.reshape(window);
  return w;
}

// Counts to n - 1 and back to 0.
void addCounter(Graph &graph, const Tensor &counter, std::size_t n, program::Sequence &prog,
                const DebugContext &debugContext) {
  const ComputeSet cs = graph.addComputeSet({debugContext, "next"});
  const VertexRef v = graph.addVertex(cs, "popops::CircBufIncrIndex", {{"index", counter[0]}});
  graph.setInitialValue(v["hSize"], n);
  graph.setTileMapping(v, 0);
  prog.add(program::Execute(cs, debugContext));
}

} // namespace

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
             program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &optionFlags) {
  const Windows w = windowsOf(named("scatter", debugContext), operand, indices, updates, indexVectorDim,
                              updateWindowDims, insertWindowDims, scatterDimsToOperandDims);
  multiUpdate(graph, w.operand, w.updates, w.offsets, w.dims, w.sizes, prog, {}, optionFlags,
              {debugContext, "scatter"});
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, program::Sequence &prog, const DebugContext &debugContext,
             const OptionFlags &optionFlags) {
  const std::string what = named("scatter", debugContext);
  const Windows w = windowsOf(what, operand, indices, updates, indexVectorDim, updateWindowDims, insertWindowDims,
                              scatterDimsToOperandDims);
  const std::size_t n = w.offsets.dim(0);
  if (n == 0 || w.updates.numElements() == 0)
    return;
  const DebugContext inner(debugContext, "scatter");
  const Tensor counter = graph.addVariable(UNSIGNED_INT, {1}, {inner, "counter"});
  graph.setTileMapping(counter, 0);
  graph.setInitialValue(counter, 0u);
  program::Sequence body(inner);
  const Tensor offset = dynamicSlice(graph, w.offsets, counter, {0}, {1}, body, inner)[0];
  Tensor update = dynamicSlice(graph, w.updates, counter, {0}, {1}, body, inner)[0];
  Tensor current = dynamicSlice(graph, w.operand, offset, w.dims, w.sizes, body, inner, optionFlags);
  const Tensor result = updateComputation(graph, current, update, body);
  if (result.numElements() != current.numElements() || result.elementType() != current.elementType())
    throw poputil::poplibs_error(what + ": the update computation made " + result.elementType().toString() + " " +
                                 result.shapeToString() + " of " + current.elementType().toString() + " " +
                                 current.shapeToString());
  dynamicUpdate(graph, w.operand, result.reshape(current.shape()), offset, w.dims, w.sizes, body, inner, optionFlags);
  addCounter(graph, counter, n, body, inner);
  prog.add(program::Repeat(static_cast<unsigned>(n), body, inner));
}

} // namespace popops
