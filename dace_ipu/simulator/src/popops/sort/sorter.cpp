#include "sorter.hpp"
#include "../slice/operation.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops::sorting {

using namespace poplar;
using poputil::templateVertex;

namespace {

constexpr std::size_t leastBlock = 64;

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// A step of the network: pairs of blocks, each block in one pair at most.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Knuth, "The Art of Computer Programming" 3, algorithm 5.2.2M, for any number of blocks.
std::vector<Pairs> mergeExchange(std::size_t blocks) {
  std::vector<Pairs> steps;
  std::size_t top = 1;
  while (2 * top < blocks)
    top *= 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0, d = p;
    for (bool more = true; more;) {
      Pairs step;
      for (std::size_t i = 0; i + d < blocks; ++i)
        if ((i & p) == r)
          step.emplace_back(i, i + d);
      steps.push_back(std::move(step));
      more = q != p;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
  return steps;
}

class Sorter {
public:
  Sorter(Graph &graph, bool descending, program::Sequence &prog, const DebugContext &debugContext)
      : graph_(graph), descending_(descending), prog_(prog), debugContext_(debugContext) {}

  // `from` is empty where the keys are still to be numbered.
  Sorted run(const Tensor &keys, const Tensor *from, std::size_t k) {
    const std::size_t rows = keys.dim(0), n = keys.dim(1), tiles = graph_.getTarget().getNumTiles();
    const std::size_t blocks = std::clamp<std::size_t>(tiles / rows, 1, ceilDiv(n, leastBlock));
    const std::size_t length = ceilDiv(n, blocks);
    const bool cut = length < n;
    Sorted all = cut ? inBlocks(keys, from, length) : inRows(keys, from);
    if (!cut)
      return {all.keys.slice(0, k, 1), all.from.slice(0, k, 1)};
    if (k <= length / 2) {
      const Sorted best = {firsts(all.keys, length, k), firsts(all.from, length, k)};
      return run(best.keys, &best.from, k);
    }
    all = merged(all, length);
    return {all.keys.slice(0, k, 1), all.from.slice(0, k, 1)};
  }

private:
  Graph &graph_;
  const bool descending_;
  program::Sequence &prog_;
  const DebugContext debugContext_;

  Sorted variables(const Tensor &keys, const Tensor *from) {
    const Sorted made = {graph_.addVariable(keys.elementType(), keys.shape(), {debugContext_, "keys"}),
                         graph_.addVariable(UNSIGNED_INT, keys.shape(), {debugContext_, "from"})};
    prog_.add(program::Copy(keys, made.keys, false, debugContext_));
    if (from)
      prog_.add(program::Copy(*from, made.from, false, debugContext_));
    return made;
  }

  void addSort(ComputeSet cs, const Sorted &part, std::size_t first, bool number, std::size_t tile) {
    graph_.setTileMapping(part.keys, static_cast<unsigned>(tile));
    graph_.setTileMapping(part.from, static_cast<unsigned>(tile));
    const VertexRef v = graph_.addVertex(cs, templateVertex("popops::SortRows", part.keys.elementType()),
                                         {{"keys", part.keys.flatten()}, {"from", part.from.flatten()}});
    graph_.setInitialValue(v["numRows"], part.keys.dim(0));
    graph_.setInitialValue(v["rowLength"], part.keys.dim(1));
    graph_.setInitialValue(v["first"], first);
    graph_.setInitialValue(v["number"], number);
    graph_.setInitialValue(v["descending"], descending_);
    graph_.setTileMapping(v, static_cast<unsigned>(tile));
  }

  Sorted inRows(const Tensor &keys, const Tensor *from) {
    const Sorted all = variables(keys, from);
    const ComputeSet cs = graph_.addComputeSet({debugContext_, "sort"});
    const std::size_t rows = keys.dim(0), each = ceilDiv(rows, graph_.getTarget().getNumTiles());
    for (std::size_t begin = 0, tile = 0; begin < rows; begin += each, ++tile) {
      const std::size_t end = std::min(rows, begin + each);
      addSort(cs, {all.keys.slice(begin, end), all.from.slice(begin, end)}, 0, !from, tile);
    }
    prog_.add(program::Execute(cs, debugContext_));
    return all;
  }

  Sorted inBlocks(const Tensor &keys, const Tensor *from, std::size_t length) {
    const Sorted all = variables(keys, from);
    const ComputeSet cs = graph_.addComputeSet({debugContext_, "sortBlocks"});
    const std::size_t n = keys.dim(1);
    std::size_t tile = 0;
    for (std::size_t row = 0; row < keys.dim(0); ++row)
      for (std::size_t begin = 0; begin < n; begin += length, ++tile)
        addSort(cs, block(all, row, begin, std::min(n, begin + length)), begin, !from, tile);
    prog_.add(program::Execute(cs, debugContext_));
    return all;
  }

  static Sorted block(const Sorted &all, std::size_t row, std::size_t begin, std::size_t end) {
    return {all.keys.slice({row, begin}, {row + 1, end}), all.from.slice({row, begin}, {row + 1, end})};
  }

  static Tensor firsts(const Tensor &t, std::size_t length, std::size_t k) {
    std::vector<Tensor> parts;
    for (std::size_t begin = 0; begin < t.dim(1); begin += length)
      parts.push_back(t.slice(begin, std::min(t.dim(1), begin + k), 1));
    return concat(parts, 1);
  }

  // Blocks change between two buffers; a block that a step leaves alone stays where it is.
  Sorted merged(const Sorted &all, std::size_t length) {
    const Sorted other = {graph_.clone(all.keys, {debugContext_, "keys"}), graph_.clone(all.from, {debugContext_, "from"})};
    const std::size_t rows = all.keys.dim(0), n = all.keys.dim(1), blocks = ceilDiv(n, length);
    std::vector<bool> inOther(blocks);
    const auto at = [&](std::size_t row, std::size_t b, bool second) {
      return block(second ? other : all, row, b * length, std::min(n, (b + 1) * length));
    };
    for (const Pairs &step : mergeExchange(blocks)) {
      const ComputeSet cs = graph_.addComputeSet({debugContext_, "merge"});
      for (const auto &[a, b] : step) {
        for (std::size_t row = 0; row < rows; ++row) {
          const Sorted low = at(row, a, inOther[a]), high = at(row, b, inOther[b]);
          addMerge(cs, low, high, at(row, a, !inOther[a]), false, row * blocks + a);
          addMerge(cs, low, high, at(row, b, !inOther[b]), true, row * blocks + b);
        }
        inOther[a] = !inOther[a];
        inOther[b] = !inOther[b];
      }
      prog_.add(program::Execute(cs, debugContext_));
    }
    std::vector<Tensor> keys, from;
    for (std::size_t b = 0; b < blocks; ++b) {
      const Interval cols(b * length, std::min(n, (b + 1) * length));
      keys.push_back((inOther[b] ? other : all).keys.slice(cols, 1));
      from.push_back((inOther[b] ? other : all).from.slice(cols, 1));
    }
    return {concat(keys, 1), concat(from, 1)};
  }

  void addMerge(ComputeSet cs, const Sorted &a, const Sorted &b, const Sorted &out, bool high, std::size_t tile) {
    const VertexRef v = graph_.addVertex(cs, templateVertex("popops::MergeSplit", out.keys.elementType()),
                                         {{"keysA", a.keys.flatten()},
                                          {"keysB", b.keys.flatten()},
                                          {"fromA", a.from.flatten()},
                                          {"fromB", b.from.flatten()},
                                          {"keys", out.keys.flatten()},
                                          {"from", out.from.flatten()}});
    graph_.setInitialValue(v["high"], high);
    graph_.setInitialValue(v["descending"], descending_);
    graph_.setTileMapping(v, static_cast<unsigned>(tile));
  }
};

} // namespace

Sorted sortRows(Graph &graph, const Tensor &keys, std::size_t k, bool descending, program::Sequence &prog,
                const DebugContext &debugContext) {
  if (keys.dim(0) * k == 0)
    return {graph.addVariable(keys.elementType(), {keys.dim(0), k}, debugContext),
            graph.addVariable(UNSIGNED_INT, {keys.dim(0), k}, debugContext)};
  return Sorter(graph, descending, prog, debugContext).run(keys, nullptr, k);
}

namespace {

// Whole rows of values are brought to the tile that picks from them.
Tensor permuteOnTiles(Graph &graph, const Tensor &values, const Tensor &from, std::size_t each,
                      program::Sequence &prog, const DebugContext &debugContext) {
  const std::size_t rows = from.dim(0);
  const Tensor out = graph.addVariable(values.elementType(), from.shape(), {debugContext, "values"});
  const ComputeSet cs = graph.addComputeSet({debugContext, "permute"});
  for (std::size_t begin = 0, tile = 0; begin < rows; begin += each, ++tile) {
    const Interval part(begin, std::min(rows, begin + each));
    const VertexRef v = graph.addVertex(cs, templateVertex("popops::PermuteRows", values.elementType()),
                                        {{"in", values.slice(part).flatten()},
                                         {"from", from.slice(part).flatten()},
                                         {"out", out.slice(part).flatten()}});
    graph.setInitialValue(v["inLength"], values.dim(1));
    graph.setInitialValue(v["outLength"], from.dim(1));
    graph.setTileMapping(v, static_cast<unsigned>(tile));
    graph.setTileMapping(out.slice(part), static_cast<unsigned>(tile));
  }
  prog.add(program::Execute(cs, debugContext));
  return out;
}

// Rows that are too long for that: lookups in a table for each.
Tensor lookUp(Graph &graph, const Tensor &values, const Tensor &from, program::Sequence &prog,
              const DebugContext &debugContext) {
  const Tensor out = graph.clone(values.elementType(), from, {debugContext, "values"});
  std::vector<slice::Job> jobs;
  for (std::size_t row = 0; row < from.dim(0); ++row)
    jobs.push_back({values[row].expand({1}), out[row].expand({1}), from[row].expand({1})});
  slice::Window window;
  window.shape = {values.dim(1)};
  window.sizes = {1};
  slice::read(graph, jobs, window, prog, debugContext);
  return out;
}

} // namespace

Tensor permuteRows(Graph &graph, const Tensor &values, const Tensor &from, program::Sequence &prog,
                   const DebugContext &debugContext) {
  const Type type = values.elementType(), bits = slice::bitsOf(graph, type);
  if (from.numElements() == 0)
    return graph.addVariable(type, from.shape(), debugContext);
  const std::size_t each = ceilDiv(from.dim(0), graph.getTarget().getNumTiles());
  const std::size_t bytes = each * values.dim(1) * graph.getTarget().getTypeSize(type);
  const bool fits = bytes <= graph.getTarget().getBytesPerTile() / 8;
  const Tensor moved = values.reinterpret(bits);
  return (fits ? permuteOnTiles(graph, moved, from, each, prog, debugContext)
               : lookUp(graph, moved, from, prog, debugContext))
      .reinterpret(type);
}

} // namespace popops::sorting
