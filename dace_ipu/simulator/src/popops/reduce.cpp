// Reductions in stages: on the tiles that hold the data, on tiles between, on the tiles that hold the result.
#include "estimators.hpp"
#include "reduce_boxes.hpp"

#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

// More parts of one output than this are reduced in one more stage. Source: PopLibs, poplin's multi-stage reduction.
constexpr std::size_t mostParts = 16;
// Fewer partials than this for every worker are not worth a split.
constexpr std::size_t leastShare = 4;

/// Values of consecutive outputs, on a tile.
struct Part {
  std::size_t begin;
  Tensor data;
  unsigned tile;
  std::size_t end() const { return begin + data.numElements(); }
};

/// Outputs that one vertex computes.
struct Cell {
  Interval outputs;
  unsigned tile;
};

/// The stages: compute sets that exist already, and new ones.
class Stages {
public:
  Stages(Graph &graph, std::vector<ComputeSet> &css, const DebugContext &dc) : graph_(graph), css_(css), dc_(dc) {}
  ComputeSet next() {
    if (used_ == css_.size())
      css_.push_back(graph_.addComputeSet({dc_, "Reduce" + std::to_string(used_ + 1)}));
    return css_[used_++];
  }

private:
  Graph &graph_;
  std::vector<ComputeSet> &css_;
  DebugContext dc_;
  std::size_t used_ = 0;
};

bool isReal(const Type &t) { return t == FLOAT || t == HALF; }
Type accumulatorOf(const Type &t) { return isReal(t) ? FLOAT : t; }

std::string textOf(const ReduceParams &params) {
  std::ostringstream text;
  text << params.op;
  return text.str();
}

/// One reduction.
class Reducer {
public:
  Reducer(Graph &graph, const Tensor &in, const std::vector<bool> &reduced, Operation op, Stages &stages,
          const DebugContext &dc)
      : graph_(graph), order_(in, reduced), in_(order_.orderedInput(in)), op_(op), stages_(stages), dc_(dc) {}

  /// Reduces into `out`, which has a mapping.
  void run(const Tensor &out) {
    const Tensor ordered = order_.orderedOutput(out);
    const auto boxes = boxesByTile();
    if (isComplete(boxes)) {
      const ComputeSet cs = stages_.next();
      for (const auto &b : boxes)
        addRegion(cs, b.first, ordered.slice(b.first.output, b.first.output + b.first.outputs()), b.second, false);
      return;
    }
    std::vector<Part> parts = firstStage(boxes);
    if (op_ == Operation::SQUARE_ADD)
      op_ = Operation::ADD;
    const std::vector<Cell> cells = cellsOf(ordered);
    while (deepest(parts) > mostParts)
      parts = middleStage(parts, cells);
    lastStage(parts, cells, ordered);
  }

private:
  using Boxes = std::vector<std::pair<ReduceBox, unsigned>>;

  Boxes boxesByTile() const {
    const auto mapping = graph_.getTileMapping(in_);
    Boxes boxes;
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const ReduceBox &b : order_.boxesOf(mapping[tile]))
        boxes.emplace_back(b, tile);
    return boxes;
  }

  bool isSplit(const ReduceBox &b) const {
    const unsigned workers = graph_.getTarget().getNumWorkerContexts();
    return b.outputs() < workers && b.partials() >= workers * leastShare;
  }

  // Whether every output has one box only, which can write it: all outputs have one at least.
  bool isComplete(const Boxes &boxes) const {
    std::size_t total = 0;
    for (const auto &b : boxes) {
      if (isSplit(b.first))
        return false;
      total += b.first.outputs();
    }
    return total == order_.numOutputs();
  }

  void addRegion(ComputeSet cs, const ReduceBox &b, const Tensor &out, unsigned tile, bool split) {
    const VertexRef v = graph_.addVertex(
        cs, poputil::templateVertex("popops::ReduceRegion", in_.elementType(), out.elementType()),
        {{"in", in_.slice(b.begin, b.end)}, {"out", out}});
    graph_.setTileMapping(v, tile);
    const std::pair<const char *, std::size_t> values[] = {
        {"innerOut", b.innerOut}, {"outerIn", b.outerIn}, {"innerIn", b.innerIn}, {"strideI", b.strideI},
        {"strideJ", b.strideJ},   {"strideK", b.strideK}, {"strideL", b.strideL}, {"op", static_cast<std::size_t>(op_)},
        {"splitPartials", split}};
    for (const auto &value : values)
      graph_.setInitialValue(v[value.first], value.second);
  }

  Tensor partialOn(unsigned tile, std::size_t n) {
    const Tensor t = graph_.addVariable(accumulatorOf(in_.elementType()), {n}, {dc_, "Partials"});
    graph_.setTileMapping(t, tile);
    return t;
  }

  // Every tile reduces what it holds; single elements need nothing.
  std::vector<Part> firstStage(const Boxes &boxes) {
    const std::size_t workers = graph_.getTarget().getNumWorkerContexts();
    const bool needsVertex = op_ == Operation::SQUARE_ADD || in_.elementType() == HALF;
    std::vector<Part> parts;
    ComputeSet cs;
    bool hasSet = false;
    for (const auto &b : boxes) {
      const ReduceBox &box = b.first;
      if (box.partials() == 1 && !needsVertex) {
        parts.push_back({box.output, in_.slice(box.begin, box.end), b.second});
        continue;
      }
      if (!hasSet)
        cs = stages_.next();
      hasSet = true;
      const bool split = isSplit(box);
      const Tensor out = partialOn(b.second, box.outputs() * (split ? workers : 1));
      addRegion(cs, box, out, b.second, split);
      for (std::size_t begin = 0; begin < out.numElements(); begin += box.outputs())
        parts.push_back({box.output, out.slice(begin, begin + box.outputs()), b.second});
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) { return a.begin < b.begin; });
    return parts;
  }

  // The largest number of parts of one output.
  static std::size_t deepest(const std::vector<Part> &parts) {
    std::vector<std::pair<std::size_t, int>> changes;
    for (const Part &p : parts) {
      changes.emplace_back(p.begin, 1);
      changes.emplace_back(p.end(), -1);
    }
    std::sort(changes.begin(), changes.end());
    long depth = 0, most = 0;
    for (const auto &change : changes)
      most = std::max(most, depth += change.second);
    return static_cast<std::size_t>(most);
  }

  // What every worker of the tiles of the output finishes.
  std::vector<Cell> cellsOf(const Tensor &out) const {
    const auto mapping = graph_.getTileMapping(out);
    const unsigned grain = graph_.getTarget().getVectorWidth(out.elementType());
    std::vector<Cell> cells;
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const auto &part : poputil::splitRegionsBetweenWorkers(graph_.getTarget(), mapping[tile], grain))
        for (const Interval &i : part)
          cells.push_back({i, tile});
    return cells;
  }

  /// Finds the parts of outputs; parts are sorted by their begin.
  class Finder {
  public:
    explicit Finder(const std::vector<Part> &parts) : parts_(parts) {
      for (const Part &p : parts)
        longest_ = std::max(longest_, p.data.numElements());
    }
    std::vector<const Part *> operator()(const Interval &outputs) const {
      const std::size_t from = outputs.begin() > longest_ ? outputs.begin() - longest_ : 0;
      auto it = std::lower_bound(parts_.begin(), parts_.end(), from,
                                 [](const Part &p, std::size_t begin) { return p.begin < begin; });
      std::vector<const Part *> found;
      for (; it != parts_.end() && it->begin < outputs.end(); ++it)
        if (it->end() > outputs.begin())
          found.push_back(&*it);
      return found;
    }

  private:
    const std::vector<Part> &parts_;
    std::size_t longest_ = 0;
  };

  // Groups of about the square root of the number of parts, each on a tile that holds one of them.
  std::vector<Part> middleStage(const std::vector<Part> &parts, const std::vector<Cell> &cells) {
    const ComputeSet cs = stages_.next();
    const Finder find(parts);
    std::vector<Part> result;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto found = find(cells[c].outputs);
      const auto group = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(found.size()))));
      for (std::size_t first = 0; first < found.size(); first += group) {
        const std::vector<const Part *> some(found.begin() + first,
                                             found.begin() + std::min(first + group, found.size()));
        const unsigned tile = some[c % some.size()]->tile; // cells with the same parts take turns
        const Tensor out = partialOn(tile, cells[c].outputs.size());
        addPieces(cs, some, cells[c].outputs, out, tile);
        result.push_back({cells[c].outputs.begin(), out, tile});
      }
    }
    std::stable_sort(result.begin(), result.end(), [](const Part &a, const Part &b) { return a.begin < b.begin; });
    return result;
  }

  void lastStage(const std::vector<Part> &parts, const std::vector<Cell> &cells, const Tensor &out) {
    const ComputeSet cs = stages_.next();
    const Finder find(parts);
    for (const Cell &cell : cells)
      addPieces(cs, find(cell.outputs), cell.outputs, out.slice(cell.outputs), cell.tile);
  }

  void addPieces(ComputeSet cs, const std::vector<const Part *> &parts, const Interval &outputs, const Tensor &out,
                 unsigned tile) {
    std::vector<Tensor> rows;
    std::vector<unsigned> starts;
    for (const Part *p : parts) {
      const std::size_t begin = std::max(p->begin, outputs.begin()), end = std::min(p->end(), outputs.end());
      rows.push_back(p->data.slice(begin - p->begin, end - p->begin));
      starts.push_back(static_cast<unsigned>(begin - outputs.begin()));
    }
    const VertexRef v = graph_.addVertex(
        cs, poputil::templateVertex("popops::ReducePieces", rows[0].elementType(), out.elementType()), {{"out", out}});
    graph_.connect(v["in"], rows);
    graph_.setInitialValue(v["starts"], starts);
    graph_.setInitialValue(v["op"], static_cast<unsigned>(op_));
    graph_.setTileMapping(v, tile);
  }

  Graph &graph_;
  ReduceOrder order_;
  Tensor in_;
  Operation op_;
  Stages &stages_;
  DebugContext dc_;
};

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  throw poplibs_error("popops::reduce (" + dc.getPathName() + "): " + what);
}

bool isSupported(const Type &t) {
  return isReal(t) || t == INT || t == UNSIGNED_INT || t == LONGLONG || t == UNSIGNED_LONGLONG || t == BOOL;
}

void checkTypes(const Tensor &in, const Type &outType, const ReduceParams &params, const DebugContext &dc) {
  const Type type = in.elementType();
  const bool isLogical = params.op == Operation::LOGICAL_AND || params.op == Operation::LOGICAL_OR;
  if (type != outType && !(isReal(type) && isReal(outType)))
    fail(dc, "the input has type " + type.toString() + ", the output " + outType.toString());
  if (!isSupported(type) || isLogical != (type == BOOL) || (params.op == Operation::LOG_ADD && !isReal(type)))
    fail(dc, textOf(params) + " of type " + type.toString() + " is not supported");
}

void checkParams(const ReduceParams &params, const DebugContext &dc) {
  const bool adds =
      params.op == Operation::ADD || params.op == Operation::SQUARE_ADD || params.op == Operation::LOG_ADD;
  if (params.update && !adds)
    fail(dc, "update with " + textOf(params) + ": only ADD, SQUARE_ADD and LOG_ADD can update");
  if (params.useScale && (params.op == Operation::LOG_ADD || params.op == Operation::LOGICAL_AND ||
                          params.op == Operation::LOGICAL_OR))
    fail(dc, "a scale with " + textOf(params) + " is not supported yet");
  if (params.useScale && (params.scale.elementType() != FLOAT || params.scale.numElements() != 1))
    fail(dc, "the scale must be one element of type float, not " + params.scale.shapeToString() + " of " +
                 params.scale.elementType().toString());
}

std::vector<bool> reducedDims(const Tensor &in, const std::vector<std::size_t> &dims, const DebugContext &dc) {
  std::vector<bool> reduced(in.rank(), false);
  for (const std::size_t d : dims) {
    if (d >= in.rank())
      fail(dc, "a tensor of shape " + in.shapeToString() + " has no dimension " + std::to_string(d));
    if (reduced[d])
      fail(dc, "dimension " + std::to_string(d) + " is listed twice");
    reduced[d] = true;
  }
  return reduced;
}

std::vector<std::size_t> outputShape(const Tensor &in, const std::vector<bool> &reduced) {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (!reduced[d])
      shape.push_back(in.dim(d));
  return shape;
}

void checkOptions(const OptionFlags &options) {
  std::string ignored;
  const auto text = poplibs::OptionHandler::createWithString(ignored);
  poplibs::OptionSpec({{"accumType.interTile", text}, {"accumType.inVertex", text}}).parse(options);
}

template <typename T> T highest() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}

template <typename T> T neutral(Operation op) {
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return highest<T>();
  case Operation::MAX:
  case Operation::LOG_ADD:
    return std::numeric_limits<T>::has_infinity ? -highest<T>() : std::numeric_limits<T>::lowest();
  default:
    return 0;
  }
}

template <typename T> void fillNeutral(Graph &graph, const Tensor &out, ComputeSet cs, Operation op) {
  fill(graph, out, graph.getTileMapping(out), cs, neutral<T>(op));
}

// A reduction of nothing.
void addNeutral(Graph &graph, const Tensor &out, ComputeSet cs, Operation op) {
  const Type t = out.elementType();
  if (t == INT)
    fillNeutral<int>(graph, out, cs, op);
  else if (t == UNSIGNED_INT)
    fillNeutral<unsigned>(graph, out, cs, op);
  else if (t == LONGLONG)
    fillNeutral<long long>(graph, out, cs, op);
  else if (t == UNSIGNED_LONGLONG)
    fillNeutral<unsigned long long>(graph, out, cs, op);
  else if (t == BOOL)
    fillNeutral<bool>(graph, out, cs, op);
  else
    fillNeutral<float>(graph, out, cs, op);
}

// out = [out +] [scale *] result
void finish(Graph &graph, const Tensor &result, const Tensor &out, const ReduceParams &params, ComputeSet cs) {
  const Tensor from = result.flatten(), to = out.flatten();
  const auto mapping = graph.getTileMapping(to);
  const unsigned grain = graph.getTarget().getVectorWidth(out.elementType());
  const std::vector<Tensor> scale =
      params.useScale ? std::vector<Tensor>{params.scale.flatten()} : std::vector<Tensor>();
  const std::string name =
      poputil::templateVertex("popops::ReduceFinish", from.elementType(), to.elementType(), params.update);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const auto &part : poputil::splitRegionsBetweenWorkers(graph.getTarget(), mapping[tile], grain)) {
      const VertexRef v = graph.addVertex(cs, name);
      graph.connect(v["in"], concat(from.slices(part)));
      graph.connect(v["out"], concat(to.slices(part)));
      if (scale.empty())
        graph.setFieldSize(v["scale"], 0);
      else
        graph.connect(v["scale"], scale);
      graph.setInitialValue(v["op"], static_cast<unsigned>(params.op));
      graph.setTileMapping(v, tile);
    }
}

std::vector<std::size_t> withoutOnes(std::vector<std::size_t> shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), std::size_t(1)), shape.end());
  return shape;
}

/// `out` in the shape of the result; as in PopLibs, dimensions of size 1 may be there or not.
Tensor shapedAs(const Tensor &out, const std::vector<std::size_t> &shape, const Tensor &in, const DebugContext &dc) {
  if (withoutOnes(out.shape()) != withoutOnes(shape))
    fail(dc, "an input of shape " + in.shapeToString() + " does not reduce to an output of shape " +
                 out.shapeToString());
  return out.reshape(shape);
}

void mapIfUnmapped(Graph &graph, const Tensor &out) {
  bool isComplete = false;
  graph.getTileMapping(out, &isComplete);
  if (!isComplete)
    poputil::mapTensorLinearly(graph, out);
}

} // namespace

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &output, const std::vector<std::size_t> &dims,
                      ReduceParams params, std::vector<ComputeSet> &css, const DebugContext &debugContext,
                      const OptionFlags &options) {
  checkOptions(options);
  checkTypes(in, output.elementType(), params, debugContext);
  checkParams(params, debugContext);
  const std::vector<bool> reduced = reducedDims(in, dims, debugContext);
  const Tensor out = shapedAs(output, outputShape(in, reduced), in, debugContext);
  mapIfUnmapped(graph, out);
  if (out.numElements() == 0)
    return;
  Stages stages(graph, css, debugContext);
  const bool isPlain = !params.update && !params.useScale;
  const Tensor result =
      isPlain ? out : graph.clone(accumulatorOf(out.elementType()), out, {debugContext, "Result"});
  if (in.numElements() == 0)
    addNeutral(graph, result, stages.next(), params.op);
  else
    Reducer(graph, in, reduced, params.op, stages, debugContext).run(result);
  if (!isPlain)
    finish(graph, result, out, params, stages.next());
}

namespace {

Tensor createOutput(Graph &graph, const Tensor &in, const Type &outType, const std::vector<std::size_t> &dims,
                    const DebugContext &dc) {
  const Tensor out = graph.addVariable(outType, outputShape(in, reducedDims(in, dims, dc)), {dc, "Out"});
  poputil::mapTensorLinearly(graph, out);
  return out;
}

void execute(const std::vector<ComputeSet> &css, program::Sequence &prog, const DebugContext &dc) {
  for (const ComputeSet &cs : css)
    prog.add(program::Execute(cs, {dc}));
}

} // namespace

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out, const std::vector<std::size_t> &dims,
                      ReduceParams params, program::Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  std::vector<ComputeSet> css;
  reduceWithOutput(graph, in, out, dims, params, css, debugContext, options);
  execute(css, prog, debugContext);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType, const std::vector<std::size_t> &dims,
              ReduceParams params, std::vector<ComputeSet> &css, const DebugContext &debugContext,
              const OptionFlags &options) {
  if (params.update)
    fail(debugContext, "there is no output to update; use reduceWithOutput");
  const Tensor out = createOutput(graph, in, outType, dims, debugContext);
  reduceWithOutput(graph, in, out, dims, params, css, debugContext, options);
  return out;
}

Tensor reduce(Graph &graph, const Tensor &in, const std::vector<std::size_t> &dims, ReduceParams params,
              std::vector<ComputeSet> &css, const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, params, css, debugContext, options);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType, const std::vector<std::size_t> &dims,
              ReduceParams params, program::Sequence &prog, const DebugContext &debugContext,
              const OptionFlags &options) {
  std::vector<ComputeSet> css;
  const Tensor out = reduce(graph, in, outType, dims, params, css, debugContext, options);
  execute(css, prog, debugContext);
  return out;
}

Tensor reduce(Graph &graph, const Tensor &in, const std::vector<std::size_t> &dims, ReduceParams params,
              program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, params, prog, debugContext, options);
}

void reduceMany(Graph &graph, const std::vector<SingleReduceOp> &reductions, std::vector<Tensor> &outputs,
                program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  const bool create = outputs.empty();
  if (!create && outputs.size() != reductions.size())
    fail(debugContext, std::to_string(outputs.size()) + " outputs for " + std::to_string(reductions.size()) +
                           " reductions");
  std::vector<ComputeSet> css;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const SingleReduceOp &r = reductions[i];
    const DebugContext dc(debugContext, r.debugName);
    if (create)
      outputs.push_back(reduce(graph, r.in, r.useOutType ? r.outType : r.in.elementType(), r.dims, r.params, css, dc,
                               options));
    else
      reduceWithOutput(graph, r.in, outputs[i], r.dims, r.params, css, dc, options);
  }
  execute(css, prog, debugContext);
}

} // namespace popops
