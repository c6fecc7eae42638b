#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include "indexing_estimators.hpp"

namespace popops {

using namespace poplar;

namespace {

constexpr std::size_t grain = 4; // 64 bits of half; source: PopLibs, CircBuf.cpp

std::size_t elements(const std::vector<std::size_t> &shape) {
  std::size_t n = 1;
  for (std::size_t size : shape)
    n *= size;
  return n;
}

[[noreturn]] void fail(const DebugContext &debugContext, const std::string &why) {
  throw poputil::poplibs_error("popops::CircBuf '" + debugContext.getPathName() + "': " + why);
}

} // namespace

CircBuf::CircBuf(Graph &graph, const Type &dataType, unsigned size, const std::vector<std::size_t> &shape,
                 const DebugContext &debugContext)
    : graph(graph), size_(size), shape(shape) {
  const std::size_t n = elements(shape), grains = (n + grain - 1) / grain, tiles = graph.getTarget().getNumTiles();
  if (size == 0)
    fail(debugContext, "a buffer of no tensors");
  padElements = static_cast<unsigned>(grains * grain - n);
  hist = graph.addVariable(dataType, {grains, size, grain}, {debugContext, "CircBuf"});
  const std::size_t each = (grains + tiles - 1) / tiles;
  for (std::size_t begin = 0, tile = 0; begin < grains; begin += each, ++tile)
    graph.setTileMapping(hist.slice(begin, std::min(grains, begin + each)), static_cast<unsigned>(tile));
  index = graph.addVariable(UNSIGNED_INT, {1}, {debugContext, "CircBufIndex"});
  graph.setInitialValue(index, 0u);
  graph.setTileMapping(index, 0);
}

Graph::TileToTensorMapping CircBuf::getTileMapping() { return getSliceMapping(graph, hist, {1}, {1}); }

Tensor CircBuf::prev(unsigned i, program::Sequence &seq, const DebugContext &debugContext) {
  if (i >= size_)
    fail(debugContext, "holds " + std::to_string(size_) + " tensors, there is none " + std::to_string(i) + " ago");
  const DebugContext inner(debugContext, "CircBufPrev");
  const Tensor place = graph.addVariable(UNSIGNED_INT, {1}, {inner, "offset"});
  graph.setTileMapping(place, 0);
  const ComputeSet cs = graph.addComputeSet(inner);
  const VertexRef v = graph.addVertex(cs, "popops::CircOffset", {{"indexIn", index[0]}, {"indexOut", place[0]}});
  graph.setInitialValue(v["hSize"], size_);
  graph.setInitialValue(v["offset"], size_ - i);
  graph.setTileMapping(v, 0);
  seq.add(program::Execute(cs, inner));
  const Tensor padded = dynamicSlice(graph, hist, place, {1}, {1}, seq, inner).flatten();
  return padded.slice(0, padded.numElements() - padElements).reshape(shape);
}

void CircBuf::add(Tensor t, program::Sequence &seq, const DebugContext &debugContext) {
  if (t.shape() != shape || t.elementType() != hist.elementType())
    fail(debugContext, "holds other tensors than " + t.elementType().toString() + " " + t.shapeToString());
  const DebugContext inner(debugContext, "CircBufAdd");
  const ComputeSet cs = graph.addComputeSet(inner);
  const VertexRef v = graph.addVertex(cs, "popops::CircBufIncrIndex", {{"index", index[0]}});
  graph.setInitialValue(v["hSize"], size_);
  graph.setTileMapping(v, 0);
  seq.add(program::Execute(cs, inner));
  const Tensor padding = graph.addConstant(hist.elementType(), {padElements}, 0, {inner, "padding"});
  graph.setTileMapping(padding, 0);
  const Tensor padded = padElements ? concat(t.flatten(), padding) : t.flatten();
  dynamicUpdate(graph, hist, padded.reshape({hist.dim(0), 1, grain}), index, {1}, {1}, seq, inner);
}

Tensor CircBuf::getIndex() const { return index; }
unsigned CircBuf::size() const { return size_; }

// Source: PopLibs, popopsCycleEstimators.cpp.
poputil::internal::Estimators circBufEstimators() {
  const auto constant = [](std::uint64_t slots) {
    return [slots](const VertexIntrospector &, const Target &) -> VertexPerfEstimate { return slots; };
  };
  return {{"popops::CircBufIncrIndex", constant(8)}, {"popops::CircOffset", constant(10)}};
}

} // namespace popops
