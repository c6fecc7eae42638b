#include <popnn/Pooling.hpp>

#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

namespace popnn {
namespace pooling {

using namespace poplar;
using namespace poplar::program;

namespace {

using Shape = std::vector<std::size_t>;

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("pooling" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

unsigned padded(int paddingOrTruncation) { return static_cast<unsigned>(std::max(0, paddingOrTruncation)); }
unsigned truncated(int paddingOrTruncation) { return static_cast<unsigned>(std::max(0, -paddingOrTruncation)); }

// Size of a dimension with its padding.
std::size_t paddedSize(const PoolParams &p, unsigned d) {
  const long size = static_cast<long>(p.inputFieldShape[d]) + p.inputTruncationOrPaddingLower[d] +
                    p.inputTruncationOrPaddingUpper[d];
  if (size < static_cast<long>(p.kernelShape[d]) || p.kernelShape[d] == 0)
    fail({}, "a window of " + std::to_string(p.kernelShape[d]) + " does not fit into " + std::to_string(size) +
                 " elements of field dimension " + std::to_string(d));
  return static_cast<std::size_t>(size);
}

void checkParams(const PoolParams &p) {
  const std::size_t n = p.getNumFieldDims();
  if (p.kernelShape.size() != n || p.stride.size() != n || p.inputTruncationOrPaddingLower.size() != n ||
      p.inputTruncationOrPaddingUpper.size() != n)
    fail({}, "every list of the parameters needs one entry a field dimension");
  if (std::count(p.stride.begin(), p.stride.end(), 0u) > 0)
    fail({}, "a stride must not be zero");
}

Shape tensorShape(const PoolParams &p, const Shape &field) {
  Shape shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

void check(const DebugContext &dc, const PoolParams &p, const char *what, const Tensor &t, const Shape &field) {
  if (p.dType != FLOAT && p.dType != HALF)
    fail(dc, "the type " + p.dType.toString() + " is not supported yet; there are float and half");
  if (t.shape() != tensorShape(p, field) || t.elementType() != p.dType)
    fail(dc, std::string("the ") + what + " is " + t.elementType().toString() + t.shapeToString() +
                 ", which the parameters do not say");
}

void checkOptions(const OptionFlags &options) {
  for (const auto &option : options)
    if (option.first != "poolUseIntrospectiveMapping" && option.first != "optimizeForSpeed")
      throw invalid_option("'" + option.first + "' is no option of pooling");
}

// Channels innermost, where a tile's piece is likely to be contiguous; and back.
Tensor channelsLast(const Tensor &t) { return t.dimRoll(1, t.rank() - 1); }
Tensor channelsSecond(const Tensor &t) { return t.dimRoll(t.rank() - 1, 1); }

// All places of a window, in row-major order.
std::vector<Shape> places(const Shape &kernel) {
  std::vector<Shape> all{{}};
  for (const std::size_t size : kernel) {
    std::vector<Shape> longer;
    for (const Shape &place : all)
      for (std::size_t k = 0; k < size; ++k) {
        longer.push_back(place);
        longer.back().push_back(k);
      }
    all = longer;
  }
  return all;
}

// Views of [batch, channels, field...] with a constant beside or between the elements.
class Filled {
public:
  Filled(Graph &graph, const Type &type, double value, const DebugContext &dc)
      : value_(graph.addConstant(type, {}, value, {dc, "fill"})) {
    graph.setTileMapping(value_, 0);
  }

  Tensor pad(const Tensor &t, std::size_t lower, std::size_t upper, unsigned dim) const {
    return concat({of(t, lower, dim), t, of(t, upper, dim)}, dim);
  }

  Tensor dilate(const Tensor &t, std::size_t factor, unsigned dim) const {
    if (factor == 1 || t.dim(dim) == 0)
      return t;
    const Tensor apart = pad(t.expand({dim + 1}), 0, factor - 1, dim + 1).flatten(dim, dim + 2);
    return apart.slice(0, apart.dim(dim) - factor + 1, dim);
  }

private:
  Tensor of(const Tensor &t, std::size_t n, unsigned dim) const {
    Shape shape = t.shape();
    shape[dim] = n;
    std::size_t count = 1;
    for (const std::size_t s : shape)
      count *= s;
    return value_.expand({0}).broadcast(static_cast<unsigned>(count), 0).reshape(shape);
  }

  Tensor value_;
};

double neutral(const PoolParams &p) {
  if (p.poolingType != PoolingType::MAX)
    return 0;
  return p.dType == HALF ? -65504. : static_cast<double>(std::numeric_limits<float>::lowest());
}

// For every place of the window, what it sees of the input at every output: [batch, output..., channels], flattened.
std::vector<Tensor> windows(Graph &graph, const PoolParams &p, Tensor in, const DebugContext &dc) {
  const Filled fill(graph, p.dType, neutral(p), dc);
  const Shape field = p.getOutputFieldShape();
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    const int lower = p.inputTruncationOrPaddingLower[d], upper = p.inputTruncationOrPaddingUpper[d];
    in = in.slice(truncated(lower), in.dim(2 + d) - truncated(upper), 2 + d);
    in = fill.pad(in, padded(lower), padded(upper), 2 + d);
  }
  std::vector<Tensor> views;
  for (const Shape &place : places(p.kernelShape)) {
    Tensor view = in;
    for (unsigned d = 0; d < place.size(); ++d)
      view = view.slice(place[d], place[d] + (field[d] - 1) * p.stride[d] + 1, 2 + d).subSample(p.stride[d], 2 + d);
    views.push_back(channelsLast(view).flatten());
  }
  return views;
}

// For every place of the window, the output at which every input element is at that place, or zero: [batch, input..., channels], flattened.
std::vector<Tensor> outputsOfInputs(Graph &graph, const PoolParams &p, const Tensor &out, const DebugContext &dc) {
  const Filled fill(graph, p.dType, 0, dc);
  std::vector<Tensor> views;
  for (const Shape &place : places(p.kernelShape)) {
    Tensor view = out;
    for (unsigned d = 0; d < place.size(); ++d) {
      const int lower = p.inputTruncationOrPaddingLower[d], upper = p.inputTruncationOrPaddingUpper[d];
      view = fill.dilate(view, p.stride[d], 2 + d);
      view = fill.pad(view, place[d], paddedSize(p, d) - place[d] - view.dim(2 + d), 2 + d);
      view = view.slice(padded(lower), view.dim(2 + d) - padded(upper), 2 + d);
      view = fill.pad(view, truncated(lower), truncated(upper), 2 + d);
    }
    views.push_back(channelsLast(view).flatten());
  }
  return views;
}

// How many elements that are no padding the window has in dimension `d` at output `o`.
std::size_t counted(const PoolParams &p, unsigned d, std::size_t o) {
  const std::size_t begin = o * p.stride[d], end = begin + p.kernelShape[d];
  const std::size_t first = padded(p.inputTruncationOrPaddingLower[d]);
  const std::size_t last = paddedSize(p, d) - padded(p.inputTruncationOrPaddingUpper[d]);
  return std::max(first, std::min(end, last)) - std::max(first, std::min(begin, last));
}

// The factor of every output element, [batch, output..., channels] flattened: one over the size of its window.
class Scales {
public:
  explicit Scales(const PoolParams &p) : p_(p), field_(p.getOutputFieldShape()) {}

  std::vector<float> of(const std::vector<Interval> &intervals) const {
    if (p_.poolingType != PoolingType::AVG)
      return {1};
    std::vector<float> scales;
    for (const Interval &interval : intervals)
      for (std::size_t i = interval.begin(); i < interval.end(); ++i)
        scales.push_back(at(i / p_.numChannels));
    const bool same = std::all_of(scales.begin(), scales.end(), [&](float s) { return s == scales[0]; });
    return same ? std::vector<float>(1, scales[0]) : scales;
  }

private:
  float at(std::size_t position) const {
    std::size_t count = 1;
    for (unsigned d = static_cast<unsigned>(field_.size()); d-- > 0; position /= field_[d])
      count *= counted(p_, d, position % field_[d]);
    return count == 0 ? 0.f : 1.f / static_cast<float>(count);
  }

  const PoolParams &p_;
  const Shape field_;
};

// A new tensor [batch, field..., channels], spread evenly.
Tensor create(Graph &graph, const PoolParams &p, const Shape &field, const DebugContext &dc) {
  Shape shape{p.batchSize};
  shape.insert(shape.end(), field.begin(), field.end());
  shape.push_back(p.numChannels);
  const Tensor t = graph.addVariable(p.dType, shape, dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

// A vertex for every tile that has a part of `out`; `connect` gets that part's intervals.
template <typename F>
void addVertices(Graph &graph, const PoolParams &p, const char *vertex, const Tensor &out, Sequence &prog,
                 const DebugContext &dc, F connect) {
  const Tensor flat = out.flatten();
  const ComputeSet cs = graph.addComputeSet({dc, "Pool"});
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const VertexRef v = graph.addVertex(cs, poputil::templateVertex(vertex, p.dType));
    graph.connect(v["out"], concat(flat.slices(mapping[tile])));
    connect(v, mapping[tile]);
    graph.setTileMapping(v, tile);
  }
  prog.add(Execute(cs, {dc, "Pool"}));
}

std::vector<Tensor> parts(const std::vector<Tensor> &ts, const std::vector<Interval> &intervals) {
  std::vector<Tensor> result;
  for (const Tensor &t : ts)
    result.push_back(concat(t.slices(intervals)));
  return result;
}

Tensor part(const Tensor &t, const std::vector<Interval> &intervals) { return concat(t.slices(intervals)); }

void reduce(Graph &graph, const PoolParams &p, const std::vector<Tensor> &in, const Tensor &out, bool scaled,
            Sequence &prog, const DebugContext &dc) {
  const Scales scales(p);
  addVertices(graph, p, "popnn::PoolReduce", out, prog, dc,
              [&](const VertexRef &v, const std::vector<Interval> &intervals) {
                graph.connect(v["in"], parts(in, intervals));
                graph.setInitialValue(v["scale"], scaled ? scales.of(intervals) : std::vector<float>{1});
                graph.setInitialValue(v["isMax"], scaled && p.poolingType == PoolingType::MAX);
              });
}

// The gradient of every maximum, shared among the elements that have it.
Tensor shared(Graph &graph, const PoolParams &p, const Tensor &in, const Tensor &pooled, const Tensor &gradient,
              Sequence &prog, const DebugContext &dc) {
  const Tensor out = create(graph, p, p.getOutputFieldShape(), {dc, "shared"});
  const std::vector<Tensor> seen = windows(graph, p, in, dc);
  const Tensor pooledFlat = channelsLast(pooled).flatten(), gradientFlat = channelsLast(gradient).flatten();
  addVertices(graph, p, "popnn::PoolShareGradient", out, prog, dc,
              [&](const VertexRef &v, const std::vector<Interval> &intervals) {
                graph.connect(v["in"], parts(seen, intervals));
                graph.connect(v["pooled"], part(pooledFlat, intervals));
                graph.connect(v["gradient"], part(gradientFlat, intervals));
              });
  return channelsSecond(out);
}

} // namespace

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  checkParams(*this);
  Shape shape;
  for (unsigned d = 0; d < getNumFieldDims(); ++d)
    shape.push_back((paddedSize(*this, d) - kernelShape[d]) / stride[d] + 1);
  return shape;
}

Tensor pool(Graph &graph, const PoolParams &params, const Tensor &in, Sequence &prog, const DebugContext &dc,
            const OptionFlags &options) {
  const Shape field = params.getOutputFieldShape();
  checkOptions(options);
  check(dc, params, "input", in, params.inputFieldShape);
  const Tensor out = create(graph, params, field, {dc, "pooled"});
  reduce(graph, params, windows(graph, params, in, dc), out, true, prog, dc);
  return channelsSecond(out);
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, const Tensor &in, const Tensor &pooled,
                         const Tensor &pooledGradient, bool useScaledGradient, Sequence &prog, const DebugContext &dc,
                         const OptionFlags &options) {
  if (params.poolingType != PoolingType::MAX)
    return poolInputGradient(graph, params, 1, pooledGradient, prog, dc, options);
  const Shape field = params.getOutputFieldShape();
  checkOptions(options);
  check(dc, params, "input", in, params.inputFieldShape);
  check(dc, params, "pooled tensor", pooled, field);
  check(dc, params, "gradient", pooledGradient, field);
  const Tensor gradient =
      useScaledGradient ? shared(graph, params, in, pooled, pooledGradient, prog, dc) : pooledGradient;
  const Tensor out = create(graph, params, params.inputFieldShape, {dc, "inGradient"});
  const std::vector<Tensor> gradients = outputsOfInputs(graph, params, gradient, dc);
  const std::vector<Tensor> maxima = outputsOfInputs(graph, params, pooled, dc);
  const Tensor data = channelsLast(in).flatten();
  addVertices(graph, params, "popnn::PoolMaxGradient", out, prog, dc,
              [&](const VertexRef &v, const std::vector<Interval> &intervals) {
                graph.connect(v["in"], parts(gradients, intervals));
                graph.connect(v["pooled"], parts(maxima, intervals));
                graph.connect(v["data"], part(data, intervals));
              });
  return channelsSecond(out);
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, unsigned, const Tensor &pooledGradient, Sequence &prog,
                         const DebugContext &dc, const OptionFlags &options) {
  if (params.poolingType == PoolingType::MAX)
    fail(dc, "the gradient of max pooling needs the input and the pooled tensor");
  const Shape field = params.getOutputFieldShape();
  checkOptions(options);
  check(dc, params, "gradient", pooledGradient, field);
  Tensor gradient = pooledGradient;
  if (params.poolingType == PoolingType::AVG) {
    const Tensor scaled = create(graph, params, field, {dc, "scaled"});
    reduce(graph, params, {channelsLast(pooledGradient).flatten()}, scaled, true, prog, dc);
    gradient = channelsSecond(scaled);
  }
  const Tensor out = create(graph, params, params.inputFieldShape, {dc, "inGradient"});
  reduce(graph, params, outputsOfInputs(graph, params, gradient, dc), out, false, prog, dc);
  return channelsSecond(out);
}

} // namespace pooling
} // namespace popnn
