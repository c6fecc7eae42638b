#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <popops/Fill.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>
#include <ostream>

namespace poplin {

using namespace poplar;
using namespace poplar::program;

namespace {

using Shape = std::vector<std::size_t>;

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("convolution" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

std::size_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<std::size_t>());
}

Shape joined(Shape first, const Shape &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void checkShape(const DebugContext &dc, const char *what, const Tensor &t, const Shape &shape) {
  if (t.shape() == shape)
    return;
  std::string text;
  for (const std::size_t s : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(s);
  fail(dc, std::string("the ") + what + " has the shape " + t.shapeToString() + ", not {" + text + "}");
}

Shape inputShape(const ConvParams &p) { return joined({p.batchSize, p.getNumInputChans()}, p.inputFieldShape); }
Shape outputShape(const ConvParams &p) { return joined({p.batchSize, p.getNumOutputChans()}, p.getOutputFieldShape()); }
Shape weightsShape(const ConvParams &p) {
  return joined({p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup}, p.kernelShape);
}

// A view of the tensor with zeros beside it, in one dimension.
class Zeros {
public:
  Zeros(Graph &graph, const Type &type, const DebugContext &dc) : zero_(graph.addConstant(type, {}, 0, {dc, "zero"})) {
    graph.setTileMapping(zero_, 0);
  }

  Tensor pad(const Tensor &t, std::size_t lower, std::size_t upper, unsigned dim) const {
    return concat({of(t, lower, dim), t, of(t, upper, dim)}, dim);
  }

  Tensor dilate(const Tensor &t, std::size_t factor, unsigned dim) const {
    const std::size_t n = t.dim(dim);
    if (factor == 1 || n == 0)
      return t;
    const Tensor apart = pad(t.expand({dim + 1}), 0, factor - 1, dim + 1);
    return apart.flatten(dim, dim + 2).slice(0, (n - 1) * factor + 1, dim);
  }

private:
  Tensor of(const Tensor &t, std::size_t n, unsigned dim) const {
    Shape shape = t.shape();
    shape[dim] = n;
    return zero_.expand({0}).broadcast(static_cast<unsigned>(product(shape)), 0).reshape(shape);
  }

  Tensor zero_;
};

// The input as the kernel sees it.
Tensor transformInput(Graph &graph, Tensor t, const ConvParams &p, const DebugContext &dc) {
  const Zeros zeros(graph, t.elementType(), dc);
  const ConvParams::InputTransform &x = p.inputTransform;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    const unsigned dim = d + 2;
    t = t.slice(x.truncationLower[d], t.dim(dim) - x.truncationUpper[d], dim);
    t = zeros.pad(zeros.dilate(t, x.dilation[d], dim), x.paddingLower[d], x.paddingUpper[d], dim);
    t = x.flip[d] ? t.reverse(dim) : t;
  }
  return t;
}

// Where the elements of the kernel are after its transform; zeros are left out.
struct KernelElement {
  std::size_t index, place;
};

std::vector<KernelElement> kernelElements(const ConvParams &p, unsigned d) {
  const ConvParams::InputTransform &x = p.kernelTransform;
  std::vector<KernelElement> elements;
  for (std::size_t i = x.truncationLower[d]; i < p.kernelShape[d] - x.truncationUpper[d]; ++i) {
    const std::size_t place = x.paddingLower[d] + (i - x.truncationLower[d]) * x.dilation[d];
    elements.push_back({i, x.flip[d] ? p.getTransformedKernelSize(d) - 1 - place : place});
  }
  return elements;
}

Shape usedKernelShape(const ConvParams &p) {
  Shape shape;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d)
    shape.push_back(p.kernelShape[d] - p.kernelTransform.truncationLower[d] - p.kernelTransform.truncationUpper[d]);
  return shape;
}

// The output's field before it is padded.
Shape computedFieldShape(const ConvParams &p) {
  Shape shape = p.getOutputFieldShape();
  for (unsigned d = 0; d < shape.size(); ++d)
    shape[d] -= p.outputTransform.paddingLower[d] + p.outputTransform.paddingUpper[d];
  return shape;
}

// What every output element multiplies with the kernel: field dimension `d` becomes [output, kernel].
Tensor slide(const Tensor &t, const ConvParams &p, unsigned d, unsigned dim) {
  const ConvParams::OutputTransform &x = p.outputTransform;
  const std::size_t end = p.getUntransformedOutputSize(d) - x.truncationUpper[d];
  std::vector<Tensor> views;
  for (const KernelElement &k : kernelElements(p, d))
    views.push_back(t.slice(k.place + x.truncationLower[d], k.place + end, dim).subSample(x.stride[d], dim).expand({dim + 1}));
  return concat(views, dim + 1);
}

// Dimensions first, first + step, ... of `n`.
std::vector<unsigned> every(unsigned first, unsigned step, unsigned n) {
  std::vector<unsigned> dims;
  for (unsigned i = 0; i < n; ++i)
    dims.push_back(first + step * i);
  return dims;
}

std::vector<unsigned> joined(std::vector<std::vector<unsigned>> lists) {
  std::vector<unsigned> all;
  for (const auto &list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

// The convolution as a grouped matrix product: [groups, batch * output, kernel * input channels] times [groups, kernel * input
// channels, output channels].
struct AsProduct {
  const ConvParams &p;
  unsigned dims;
  Shape used, field;

  explicit AsProduct(const ConvParams &params)
      : p(params), dims(static_cast<unsigned>(params.getNumFieldDims())), used(usedKernelShape(params)),
        field(computedFieldShape(params)) {}

  std::size_t depth() const { return product(used) * p.inputChannelsPerConvGroup; }
  std::size_t rows() const { return p.batchSize * product(field); }
  Shape shapeA() const { return {p.numConvGroups, rows(), depth()}; }
  Shape shapeB() const { return {p.numConvGroups, depth(), p.outputChannelsPerConvGroup}; }
  // Whether an input element is used once and in place.
  bool isPointwise() const {
    return product(used) == 1 && inputShape(p) == joined({p.batchSize, p.getNumInputChans()}, field);
  }

  Tensor a(Graph &graph, const Tensor &in, const DebugContext &dc) const {
    Tensor t = transformInput(graph, in, p, dc);
    for (unsigned d = 0; d < dims; ++d)
      t = slide(t, p, d, 2 + 2 * d);
    // [batch, group * channel, output, kernel, output, kernel, ...]
    t = t.reshapePartial(1, 2, {p.numConvGroups, p.inputChannelsPerConvGroup});
    return t.dimShuffle(joined({{1, 0}, every(3, 2, dims), every(4, 2, dims), {2}})).reshape(shapeA());
  }

  Tensor b(Tensor weights) const {
    const ConvParams::InputTransform &x = p.kernelTransform;
    for (unsigned d = 0; d < dims; ++d)
      weights = weights.slice(x.truncationLower[d], p.kernelShape[d] - x.truncationUpper[d], 3 + d);
    return weights.dimShuffle(joined({{0}, every(3, 1, dims), {2, 1}})).reshape(shapeB());
  }

  Tensor weights(const Tensor &b) const {
    const Tensor t =
        b.reshape(joined(joined({p.numConvGroups}, used), {p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup}));
    return t.dimShuffle(joined({{0, dims + 2, dims + 1}, every(1, 1, dims)}));
  }

  // [groups, rows, channels] as [batch, groups * channels, field...].
  Tensor activations(const Tensor &t, std::size_t channels) const {
    const Tensor split = t.reshape(joined(joined({p.numConvGroups, p.batchSize}, field), {channels}));
    return split.dimShuffle(joined({{1, 0, dims + 2}, every(2, 1, dims)})).flatten(1, 3);
  }

  // The other way round, of the output without its padding.
  Tensor c(Tensor out) const {
    const ConvParams::OutputTransform &x = p.outputTransform;
    for (unsigned d = 0; d < dims; ++d)
      out = out.slice(x.paddingLower[d], out.dim(2 + d) - x.paddingUpper[d], 2 + d);
    const Tensor split = out.reshapePartial(1, 2, {p.numConvGroups, p.outputChannelsPerConvGroup});
    return split.dimShuffle(joined({{1, 0}, every(3, 1, dims), {2}}))
        .reshape({p.numConvGroups, rows(), p.outputChannelsPerConvGroup});
  }

  bool padsOutput() const { return field != p.getOutputFieldShape(); }
};

Tensor transposedAndFlipped(const Tensor &weights) {
  Tensor t = weights.dimShufflePartial({1, 2}, {2, 1});
  for (unsigned d = 3; d < t.rank(); ++d)
    t = t.reverse(d);
  return t;
}

Tensor usedWeights(const DebugContext &dc, const Tensor &weights, const ConvParams &p, bool transposeAndFlip) {
  if (weights.rank() != p.getNumFieldDims() + 3)
    fail(dc, "the weights have the shape " + weights.shapeToString() + " for " + std::to_string(p.getNumFieldDims()) +
                 " field dimensions");
  const Tensor used = transposeAndFlip ? transposedAndFlipped(weights) : weights;
  checkShape(dc, transposeAndFlip ? "transposed weight tensor" : "weight tensor", used, weightsShape(p));
  return used;
}

void checkInput(const DebugContext &dc, const Tensor &in, const ConvParams &p) {
  p.validate();
  checkShape(dc, "input", in, inputShape(p));
  if (in.elementType() != p.inputType)
    fail(dc, "the input is of type " + in.elementType().toString() + ", the parameters say " + p.inputType.toString());
}

} // namespace

Tensor createInput(Graph &graph, const ConvParams &params, const DebugContext &dc, const OptionFlags &options,
                   PlanningCache *cache) {
  params.validate();
  const AsProduct product(params);
  if (product.isPointwise())
    return product.activations(createMatMulGroupedInputLHS(graph, params.inputType, params.outputType, product.shapeA(),
                                                           product.shapeB(), dc, options, cache),
                               params.inputChannelsPerConvGroup);
  // Channels innermost: what is copied for every output element is then contiguous.
  const unsigned dims = product.dims;
  const std::size_t channels = params.inputChannelsPerConvGroup;
  const Tensor t = graph.addVariable(
      params.inputType, joined(joined({params.numConvGroups, params.batchSize}, params.inputFieldShape), {channels}), dc);
  poputil::mapTensorLinearly(graph, t, 0, static_cast<unsigned>(std::max<std::size_t>(1, channels)));
  return t.dimShuffle(joined({{1, 0, dims + 2}, every(2, 1, dims)})).flatten(1, 3);
}

Tensor createWeights(Graph &graph, const ConvParams &params, const DebugContext &dc, const OptionFlags &options,
                     PlanningCache *cache) {
  params.validate();
  const AsProduct product(params);
  if (product.used == params.kernelShape)
    return product.weights(createMatMulGroupedInputRHS(graph, params.inputType, params.outputType, product.shapeA(),
                                                       product.shapeB(), dc, options, cache));
  const Tensor t = graph.addVariable(params.inputType, weightsShape(params), dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights, const ConvParams &params,
                   bool transposeAndFlipWeights, Sequence &prog, const DebugContext &dc, const OptionFlags &options,
                   PlanningCache *cache) {
  checkInput(dc, in, params);
  const AsProduct product(params);
  const Tensor b = product.b(usedWeights(dc, weights, params, transposeAndFlipWeights));
  const Tensor c = matMulGrouped(graph, product.a(graph, in, dc), b, prog, params.outputType, dc, options, cache);
  Tensor out = product.activations(c, params.outputChannelsPerConvGroup);
  if (!product.padsOutput())
    return out;
  const Tensor padded = graph.addVariable(params.outputType, outputShape(params), {dc, "padded"});
  poputil::mapTensorLinearly(graph, padded);
  popops::fill(graph, padded, prog, 0, {dc, "padding"});
  prog.add(Copy(c, product.c(padded), false, {dc, "padded"}));
  return padded;
}

void convolutionWithOutput(Graph &graph, const Tensor &in, const Tensor &weights, const Tensor &out,
                           const ConvParams &params, bool transposeAndFlipWeights, Sequence &prog,
                           const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  checkInput(dc, in, params);
  checkShape(dc, "output", out, outputShape(params));
  const AsProduct product(params);
  const Tensor b = product.b(usedWeights(dc, weights, params, transposeAndFlipWeights));
  if (product.padsOutput())
    popops::fill(graph, out, prog, 0, {dc, "padding"});
  Tensor c = product.c(out);
  matMulGroupedWithOutput(graph, product.a(graph, in, dc), b, c, prog, dc, options, cache);
}

ConvParams getGradientParams(const ConvParams &params) {
  const std::size_t n = params.getNumFieldDims();
  ConvParams::InputTransform in(n), kernel = params.kernelTransform;
  ConvParams::OutputTransform out(n);
  std::swap(kernel.truncationLower, kernel.truncationUpper);
  std::swap(kernel.paddingLower, kernel.paddingUpper);
  for (unsigned d = 0; d < n; ++d) {
    const ConvParams::InputTransform &x = params.inputTransform;
    const ConvParams::OutputTransform &y = params.outputTransform;
    if (x.flip[d])
      throw poputil::poplibs_error("getGradientParams: the gradient of a flipped input is not supported yet");
    const unsigned around = params.getTransformedKernelSize(d) - 1;
    const unsigned kept = params.getUntransformedOutputSize(d) - y.truncationLower[d] - y.truncationUpper[d];
    in.truncationLower[d] = y.paddingLower[d];
    in.truncationUpper[d] = y.paddingUpper[d];
    in.dilation[d] = y.stride[d];
    in.paddingLower[d] = y.truncationLower[d] + around;
    in.paddingUpper[d] = y.truncationUpper[d] + around + (kept == 0 ? 0 : (kept - 1) % y.stride[d]);
    out.truncationLower[d] = x.paddingLower[d];
    out.truncationUpper[d] = x.paddingUpper[d];
    out.stride[d] = x.dilation[d];
    out.paddingLower[d] = x.truncationLower[d];
    out.paddingUpper[d] = x.truncationUpper[d];
  }
  return {params.inputType, params.outputType, params.batchSize, params.getOutputFieldShape(), params.kernelShape,
          params.outputChannelsPerConvGroup, params.inputChannelsPerConvGroup, params.numConvGroups, in, kernel, out};
}

Tensor calculateWeightDeltas(Graph &graph, const Tensor &zDeltas, const Tensor &activations, const ConvParams &params,
                             Sequence &prog, const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  checkInput(dc, activations, params);
  checkShape(dc, "gradient of the output", zDeltas, outputShape(params));
  const AsProduct product(params);
  if (product.used != params.kernelShape)
    fail(dc, "the gradient of a truncated kernel is not supported yet");
  const Tensor a = transposeGroupedMatrix(product.a(graph, activations, dc));
  return product.weights(matMulGrouped(graph, a, product.c(zDeltas), prog, params.outputType, dc, options, cache));
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights, const Tensor &activations,
                             const ConvParams &params, const Tensor &scale, Sequence &prog, const DebugContext &dc,
                             const OptionFlags &options, PlanningCache *cache) {
  checkInput(dc, activations, params);
  checkShape(dc, "gradient of the output", zDeltas, outputShape(params));
  const AsProduct product(params);
  const Tensor b = product.b(usedWeights(dc, weights, params, false));
  const Tensor a = transposeGroupedMatrix(product.a(graph, activations, dc));
  matMulGroupedAcc(graph, b, scale, a, product.c(zDeltas), prog, dc, options, cache);
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights, const Tensor &activations,
                             const ConvParams &params, float scale, Sequence &prog, const DebugContext &dc,
                             const OptionFlags &options, PlanningCache *cache) {
  const Tensor factor = graph.addConstant(FLOAT, {}, scale, {dc, "scale"});
  graph.setTileMapping(factor, 0);
  convolutionWeightUpdate(graph, zDeltas, weights, activations, params, factor, prog, dc, options, cache);
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn, const Tensor &weightsOut, Sequence &prog,
                                 const DebugContext &dc) {
  if (weightsIn.rank() < 3)
    fail(dc, "weights of shape " + weightsIn.shapeToString());
  const Tensor t = transposedAndFlipped(weightsIn);
  checkShape(dc, "transposed weight tensor", weightsOut, t.shape());
  prog.add(Copy(t, weightsOut, false, dc));
}

void reportPlanInfo(std::ostream &out, const Graph &graph, const ConvParams &params, const OptionFlags &options,
                    PlanningCache *cache) {
  params.validate();
  const AsProduct product(params);
  matMulGroupedReportPlan(out, graph, params.inputType, params.outputType, product.shapeA(), product.shapeB(), options,
                          cache);
}

} // namespace poplin
