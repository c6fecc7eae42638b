#include "generate.hpp"

#include <poplar/RandomSeed.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

namespace poprand {

using namespace poplar;

void addCodelets(Graph &graph) { poputil::internal::addLibraryCodelets(graph, "poprand", estimators()); }

void fail(const std::string &function, const DebugContext &debugContext, const std::string &why) {
  const std::string path = debugContext.getPathName();
  throw poputil::poplibs_error("poprand::" + function + (path.empty() ? "" : " '" + path + "'") + ": " + why);
}

namespace {

void checkSeed(const Tensor &seed, const DebugContext &debugContext) {
  if (seed.rank() != 1 || seed.numElements() != 2 || seed.elementType() != UNSIGNED_INT)
    fail("seed", debugContext,
         "a seed is unsigned int of shape {2}, not " + seed.elementType().toString() + " " + seed.shapeToString());
}

// Every tile expands the master seed for its own workers.
Tensor seedsOf(Graph &graph, const Tensor &master, std::uint32_t modifier, program::Sequence &prog,
               const DebugContext &debugContext) {
  const unsigned tiles = graph.getTarget().getNumTiles(), words = graph.getTarget().getNumWorkerContexts() * 4;
  const Tensor seeds = graph.addVariable(UNSIGNED_INT, {tiles, words}, {debugContext, "seeds"});
  const ComputeSet cs = graph.addComputeSet({debugContext, "setSeed"});
  for (unsigned tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(seeds[tile], tile);
    const VertexRef v = graph.addVertex(cs, "poprand::SetSeed", {{"master", master}, {"seeds", seeds[tile]}});
    graph.setInitialValue(v["modifier"], modifier);
    graph.setInitialValue(v["id"], tile);
    graph.setTileMapping(v, tile);
  }
  prog.add(program::Execute(cs, debugContext));
  return seeds;
}

void startSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor replica = graph.addReplicationIndexConstant({debugContext, "replica"});
  graph.setTileMapping(replica, 0);
  const ComputeSet cs = graph.addComputeSet({debugContext, "startSeeds"});
  for (unsigned tile = 0; tile < seeds.dim(0); ++tile) {
    const VertexRef v =
        graph.addVertex(cs, "poprand::StartSeeds", {{"seeds", seeds[tile]}, {"replica", replica.reshape({})}});
    graph.setInitialValue(v["id"], tile);
    graph.setTileMapping(v, tile);
  }
  prog.add(program::Execute(cs, debugContext));
}

Tensor ownSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor seeds = getHwSeeds(graph, prog, debugContext).flatten(1, 3); // {tiles, workers * 4}
  if (graph.getReplicationFactor() > 1)
    startSeeds(graph, seeds, prog, debugContext);
  return seeds;
}

} // namespace

Seeds::Seeds(Graph &graph, const Tensor *master, std::uint32_t modifier, program::Sequence &prog,
             const DebugContext &debugContext)
    : graph_(graph), own_(master == nullptr), debugContext_(debugContext) {
  if (master)
    checkSeed(*master, debugContext);
  all_ = master ? seedsOf(graph, *master, modifier, prog, debugContext) : ownSeeds(graph, prog, debugContext);
}

void Seeds::store(program::Sequence &prog) const {
  if (!own_)
    return;
  const std::size_t workers = graph_.getTarget().getNumWorkerContexts();
  setHwSeeds(graph_, all_.reshape({all_.dim(0), workers, 4}), prog, debugContext_);
}

void setSeed(Graph &graph, const Tensor &masterSeed, uint32_t seedModifier, program::Sequence &prog,
             const DebugContext &debugContext) {
  checkSeed(masterSeed, debugContext);
  const Tensor seeds = seedsOf(graph, masterSeed, seedModifier, prog, debugContext);
  setHwSeeds(graph, seeds.reshape({seeds.dim(0), seeds.dim(1) / 4, 4}), prog, debugContext);
}

void addVertices(Graph &graph, ComputeSet cs, const std::string &vertex, const Tensor &out, const Seeds *seeds,
                 const SetFields &set) {
  const Tensor flat = out.flatten();
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::vector<Interval> intervals;
    for (const auto &region : graph.getSortedContiguousRegions(flat, mapping[tile]))
      intervals.insert(intervals.end(), region.begin(), region.end());
    if (intervals.empty())
      continue;
    const VertexRef v = graph.addVertex(cs, vertex, {{"out", concat(flat.slices(intervals))}});
    if (seeds) {
      graph.connect(v["seeds"], seeds->ofTile(tile));
      graph.setInitialValue(v["id"], tile);
    }
    set(v, intervals);
    graph.setTileMapping(v, tile);
  }
}

} // namespace poprand
