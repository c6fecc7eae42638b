// Collectives over the IPUs of one graph, and tiles for communication.
#include "reduce.hpp"

#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>

#include <algorithm>

namespace gcl {

using namespace poplar;

namespace {

// Elements in equal shares over the tiles of one IPU.
void mapOverIpu(Graph &graph, const Tensor &t, unsigned ipu) {
  const std::size_t n = t.numElements(), tiles = graph.getTarget().getTilesPerIPU();
  const std::size_t each = std::max<std::size_t>(32, (n + tiles - 1) / tiles); // 128 bytes of float
  for (std::size_t begin = 0, tile = ipu * tiles; begin < n; begin += each, ++tile)
    graph.setTileMapping(t.slice(begin, std::min(n, begin + each)), static_cast<unsigned>(tile));
}

void checkRows(const char *function, const Graph &graph, const Tensor &data, const DebugContext &debugContext) {
  const unsigned ipus = graph.getTarget().getNumIPUs();
  if (data.rank() < 1 || data.dim(0) != ipus)
    fail(function, debugContext, "a tensor " + data.shapeToString() + " does not have a row for each of " +
                                     std::to_string(ipus) + " IPUs");
}

} // namespace

Chunks reduceScatterWithinReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                                  const DebugContext &debugContext, const OptionFlags &) {
  checkRows("reduceScatterWithinReplica", graph, data, debugContext);
  const unsigned ipus = graph.getTarget().getNumIPUs();
  const Tensor rows = data.flatten(1, data.rank()).reshape({ipus, data.numElements() / ipus});
  const std::size_t n = rows.dim(1);
  Chunks result(ipus);
  result.originalInput = data;
  const Tensor reduced = graph.addVariable(data.elementType(), {n}, {debugContext, "reduced"});
  for (unsigned ipu = 0; ipu < ipus; ++ipu) {
    const Interval part(n * ipu / ipus, n * (ipu + 1) / ipus);
    result.chunks[ipu] = {reduced.slice(part), ipu, ipu};
    mapOverIpu(graph, reduced.slice(part), ipu);
    if (op == CollectiveOperator::LOCAL)
      prog.add(program::Copy(rows[ipu].slice(part), reduced.slice(part), false, debugContext));
  }
  if (op != CollectiveOperator::LOCAL)
    reduceRows(graph, rows, reduced, op, prog, debugContext);
  return result;
}

Tensor allGatherWithinReplica(Graph &graph, const Chunks &chunks, program::Sequence &prog,
                              const DebugContext &debugContext, const OptionFlags &) {
  const unsigned ipus = graph.getTarget().getNumIPUs();
  std::vector<Chunk> sorted = chunks.chunks;
  if (sorted.empty())
    fail("allGatherWithinReplica", debugContext, "there are no chunks");
  std::stable_sort(sorted.begin(), sorted.end(), [](const Chunk &a, const Chunk &b) { return a.offset < b.offset; });
  std::vector<Tensor> parts;
  for (const Chunk &chunk : sorted)
    parts.push_back(chunk.tensor.flatten());
  const Tensor all = concat(parts);
  const Tensor result = graph.addVariable(all.elementType(), {ipus, all.numElements()}, {debugContext, "gathered"});
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    mapOverIpu(graph, result[ipu], ipu);
  prog.add(program::Copy(all.expand({0}).broadcast(ipus, 0), result, false, debugContext));
  return result;
}

Tensor allReduceWithinReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                              const DebugContext &debugContext, const OptionFlags &options) {
  checkRows("allReduceWithinReplica", graph, data, debugContext);
  const Chunks chunks = reduceScatterWithinReplica(graph, data, op, prog, debugContext, options);
  return allGatherWithinReplica(graph, chunks, prog, debugContext, options).reshape(data.shape());
}

// PopART reserves 32 tiles at least.
unsigned getMinIoTiles(const Graph &graph) { return std::min(32u, graph.getTarget().getTilesPerIPU()); }

std::vector<unsigned> perIPUTiles(const Graph &graph, unsigned offset, unsigned count, bool, bool) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  if (count > tiles || offset > tiles - count)
    fail("perIPUTiles", {}, "an IPU has " + std::to_string(tiles) + " tiles, not " + std::to_string(count) + " from " +
                                std::to_string(offset) + " on");
  std::vector<unsigned> result(count);
  for (unsigned i = 0; i < count; ++i)
    result[i] = offset + i;
  return result;
}

} // namespace gcl
