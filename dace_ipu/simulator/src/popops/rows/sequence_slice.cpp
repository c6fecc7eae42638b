#include "../slice/layout.hpp"
#include "../slice/operation.hpp"

#include <poplar/exceptions.hpp>
#include <popops/SequenceSlice.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

void check(const Tensor &tIn, const Tensor &tOut, const Tensor &tN, const Tensor &tInOffset, const Tensor &tOutOffset,
           const DebugContext &debugContext) {
  const auto fail = [&](const std::string &why) {
    throw graph_connection_error("popops::sequenceSlice '" + debugContext.getPathName() + "': " + why);
  };
  if (tIn.rank() < 2 || tOut.rank() < 2)
    fail("input " + tIn.shapeToString() + " and output " + tOut.shapeToString() + " must have rank 2 or more");
  for (const Tensor &t : {tN, tInOffset, tOutOffset})
    if (t.rank() != 1 || t.dim(0) != tN.dim(0) || t.elementType() != UNSIGNED_INT)
      fail("lengths and offsets must be unsigned int of one shape {n}, not " + t.elementType().toString() + " " +
           t.shapeToString());
  if (tIn.elementType() != tOut.elementType())
    fail("the input is " + tIn.elementType().toString() + ", the output " + tOut.elementType().toString());
  if (!tOut.isParallelWriteable())
    fail("the output contains constants or elements twice");
  if (tIn.dim(0) && tOut.dim(0) && tIn.numElements() / tIn.dim(0) != tOut.numElements() / tOut.dim(0))
    fail("rows of input " + tIn.shapeToString() + " and output " + tOut.shapeToString() + " differ in size");
}

} // namespace

void sequenceSlice(Graph &graph, const Tensor &tIn, const Tensor &tOut, const Tensor &tN, const Tensor &tInOffset,
                   const Tensor &tOutOffset, bool zeroUnused, program::Sequence &prog,
                   const DebugContext &debugContext) {
  check(tIn, tOut, tN, tInOffset, tOutOffset, debugContext);
  if (tOut.numElements() == 0 || (tIn.numElements() == 0 && !zeroUnused))
    return;
  const DebugContext inner(debugContext, "sequenceSlice");
  const Type type = tIn.elementType(), bits = slice::bitsOf(graph, type);
  const std::size_t cols = tOut.numElements() / tOut.dim(0), tiles = graph.getTarget().getNumTiles();
  const std::size_t each = std::max<std::size_t>(1, (cols + tiles - 1) / tiles);
  const Tensor from =
      slice::createTable(graph, type, tIn.dim(0), cols, std::max<std::size_t>(1, tIn.dim(0)), each, {inner, "in"});
  const Tensor to = slice::createTable(graph, type, tOut.dim(0), cols, tOut.dim(0), each, {inner, "out"});
  prog.add(program::Copy(tIn.reshape({tIn.dim(0), cols}), from, false, inner));
  if (!zeroUnused)
    prog.add(program::Copy(tOut.reshape({tOut.dim(0), cols}), to, false, inner));
  const ComputeSet cs = graph.addComputeSet(inner);
  for (const slice::Group &group : slice::blocked(tOut.dim(0), cols, tOut.dim(0), each)) {
    const VertexRef v = graph.addVertex(cs, poputil::templateVertex("popops::SequenceSlice", bits),
                                        {{"src", from.slice(group.cols, 1).flatten().reinterpret(bits)},
                                         {"dst", to.slice(group.cols, 1).flatten().reinterpret(bits)},
                                         {"counts", tN},
                                         {"srcOffsets", tInOffset},
                                         {"dstOffsets", tOutOffset}});
    graph.setInitialValue(v["regionSize"], group.cols.size());
    graph.setInitialValue(v["zeroUnused"], zeroUnused);
    graph.setTileMapping(v, group.parts.front().tile);
  }
  prog.add(program::Execute(cs, inner));
  prog.add(program::Copy(to, tOut.reshape({tOut.dim(0), cols}), false, inner));
}

} // namespace popops
