// Tensors that are laid out for slices.
#include "plan.hpp"
#include "shapes.hpp"

#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using slice::Call;
using slice::named;

namespace {

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Columns on each tile, at least a grain. Sliced dimensions stay whole.
std::size_t evenColumns(const Graph &graph, const Type &type, std::size_t cols, std::size_t grain) {
  if (grain == 0)
    grain = graph.getTarget().getVectorWidth(type);
  return std::max<std::size_t>(1, ceilDiv(ceilDiv(cols, graph.getTarget().getNumTiles()), grain) * grain);
}

struct Blocks {
  std::size_t rows, cols;
};

Blocks blocksOf(const Graph &graph, const Type &type, const Call &call, const SlicePlan &plan, std::size_t grain = 0) {
  const SlicePlanInternal &p = plan.getImpl();
  const std::size_t rows = std::max<std::size_t>(1, call.window().rows());
  if (p.isNull())
    return {rows, evenColumns(graph, type, call.cols(), grain)};
  const std::size_t tiles = std::max<std::size_t>(1, graph.getTarget().getNumTiles() / p.groups);
  const std::size_t blocks = std::max<std::size_t>(1, ceilDiv(call.cols(), p.colsPerTile));
  if (blocks > tiles)
    call.fail("the plan is for fewer columns than " + std::to_string(call.cols()));
  return {std::max(p.rowsPerTile, ceilDiv(rows, tiles / blocks)), p.colsPerTile};
}

void checkGroups(const std::string &what, std::size_t groups, const SlicePlan &plan) {
  const Call call(what, {}, {}, {});
  if (groups == 0)
    call.fail("there are no groups");
  if (plan.getImpl().isNull())
    call.fail("groups need a plan of embedding::plan");
  if (plan.getImpl().groups != groups)
    call.fail("there are " + std::to_string(groups) + " groups, the plan is for " +
              std::to_string(plan.getImpl().groups));
}

// Group g lies on the g-th share of the tiles.
template <typename Create> Tensor forGroups(Graph &graph, std::size_t groups, const Create &create) {
  const unsigned tiles = graph.getTarget().getNumTiles();
  std::vector<Tensor> all;
  for (std::size_t g = 0; g < groups; ++g) {
    const unsigned begin = static_cast<unsigned>(tiles * g / groups);
    const unsigned end = std::max(begin + 1, static_cast<unsigned>(tiles * (g + 1) / groups));
    Graph part = graph.getTarget().getNumIPUs() == 1 ? graph.createVirtualGraph(begin, end) : graph.getTopLevelGraph();
    all.push_back(create(part).expand({0}));
  }
  return concat(all);
}

Tensor sliceableTensor(Graph &graph, const Type &type, const Call &call, const Blocks &blocks,
                       const DebugContext &debugContext) {
  return call.fromTable(slice::createTable(graph, type, call.window().rows(), call.cols(), blocks.rows, blocks.cols,
                                           {debugContext, "sliceable"}));
}

Tensor sliceTensor(Graph &graph, const Type &type, const Call &call, const slice::Layout &layout, std::size_t n,
                   const DebugContext &debugContext) {
  if (n == 0 || call.window().slots() == 0 || call.cols() == 0) {
    std::vector<std::size_t> shape = call.sliceShape();
    shape.insert(shape.begin(), n);
    return graph.addVariable(type, shape, {debugContext, "slice"});
  }
  return call.fromSlices(slice::createSlices(graph, type, n * call.window().slots(), layout, {debugContext, "slice"}));
}

} // namespace

Tensor createSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                             const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                             std::size_t minGrainSize, const DebugContext &debugContext) {
  const Call call(named("createSliceableTensor", debugContext), shape, dims, sizes);
  return sliceableTensor(graph, type, call, blocksOf(graph, type, call, {}, minGrainSize), debugContext);
}

Tensor createSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                             const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                             const SlicePlan &plan, const OptionFlags &options, const DebugContext &debugContext) {
  const slice::Options checked(options);
  const Call call(named("createSliceableTensor", debugContext), shape, dims, sizes);
  return sliceableTensor(graph, type, call, blocksOf(graph, type, call, plan), debugContext);
}

Tensor createGroupedSliceableTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                    const OptionFlags &options, const DebugContext &debugContext) {
  checkGroups(named("createGroupedSliceableTensor", debugContext), groupSize, plan);
  SlicePlan single = plan;
  single.getImpl().groups = 1;
  return forGroups(graph, groupSize, [&](Graph &part) {
    return createSliceableTensor(part, type, shape, dims, sizes, single, options, debugContext);
  });
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes, std::size_t numIndices,
                         const DebugContext &debugContext) {
  const Call call(named("createSliceTensor", debugContext), t.shape(), dims, sizes);
  std::optional<slice::Layout> layout;
  if (t.numElements() != 0)
    layout = slice::groupsOf(graph, slice::rectanglesOf(graph, call.table(t)));
  if (!layout)
    layout = slice::blocked(std::max<std::size_t>(1, call.window().rows()), call.cols(),
                            std::max<std::size_t>(1, call.window().rows()),
                            evenColumns(graph, t.elementType(), call.cols(), 0));
  return sliceTensor(graph, t.elementType(), call, *layout, numIndices, debugContext);
}

Tensor createSliceTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                         const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                         std::size_t numIndices, const SlicePlan &plan, const OptionFlags &options,
                         const DebugContext &debugContext) {
  const slice::Options checked(options);
  const Call call(named("createSliceTensor", debugContext), shape, dims, sizes);
  const Blocks blocks = blocksOf(graph, type, call, plan);
  const std::size_t rows = std::max<std::size_t>(1, call.window().rows());
  return sliceTensor(graph, type, call, slice::blocked(rows, call.cols(), blocks.rows, blocks.cols), numIndices,
                     debugContext);
}

Tensor createGroupedSliceTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                const std::vector<std::size_t> &sizes, std::size_t numIndices, const SlicePlan &plan,
                                const OptionFlags &options, const DebugContext &debugContext) {
  checkGroups(named("createGroupedSliceTensor", debugContext), groupSize, plan);
  SlicePlan single = plan;
  single.getImpl().groups = 1;
  return forGroups(graph, groupSize, [&](Graph &part) {
    return createSliceTensor(part, type, shape, dims, sizes, numIndices, single, options, debugContext);
  });
}

Tensor createIndicesTensor(Graph &graph, const std::vector<std::size_t> &dims, std::size_t numIndices,
                           const SlicePlan &, const OptionFlags &options, const DebugContext &debugContext) {
  const slice::Options checked(options);
  const Tensor t = graph.addVariable(UNSIGNED_INT, {numIndices, dims.size()}, {debugContext, "indices"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor createGroupedIndicesTensor(Graph &graph, std::size_t groupSize, const std::vector<std::size_t> &dims,
                                  std::size_t numIndices, const SlicePlan &plan, const OptionFlags &options,
                                  const DebugContext &debugContext) {
  checkGroups(named("createGroupedIndicesTensor", debugContext), groupSize, plan);
  return createIndicesTensor(graph, dims, groupSize * numIndices, plan, options, debugContext)
      .reshape({groupSize, numIndices, dims.size()});
}

// {numSlices..., shape of s}, then every numSlices[i] is moved before dims[i] and merged with it.
Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s, const std::vector<std::size_t> &dims,
                                      const std::vector<std::size_t> &numSlices, const DebugContext &debugContext) {
  const Call call(named("createSliceableTensorFromSlice", debugContext), s.shape(), dims,
                  std::vector<std::size_t>(dims.size(), 0));
  if (numSlices.size() != dims.size())
    call.fail("dims " + slice::text(dims) + " and numSlices " + slice::text(numSlices) + " must be as many");
  std::size_t count = 1;
  for (std::size_t n : numSlices)
    count *= n;
  std::vector<std::size_t> split = numSlices, shape = s.shape();
  split.insert(split.end(), shape.begin(), shape.end());
  const Tensor copies = graph.cloneN(s, count, {debugContext, "sliceable"}).reshape(split);
  std::vector<unsigned> order;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto it = std::find(dims.begin(), dims.end(), d);
    if (it != dims.end()) {
      const std::size_t i = static_cast<std::size_t>(it - dims.begin());
      order.push_back(static_cast<unsigned>(i));
      shape[d] *= numSlices[i];
    }
    order.push_back(static_cast<unsigned>(dims.size() + d));
  }
  return copies.dimShuffle(order).reshape(shape);
}

} // namespace popops
