// poplin::convolution and its gradients, against loops on the host.
#include "fixture.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using poplin::ConvParams;

namespace {

struct Machine : Fixture {
  Machine() : Fixture(16) { poplin::addCodelets(graph); }
};

std::vector<float> numbers(std::size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 7 + i / 5 + seed) % 5) - 2;
  return v;
}

// One dimension of a transform: where element i of the source is afterwards, or -1.
long placed(long i, long n, long total, const ConvParams::InputTransform &t, unsigned d) {
  if (i < t.truncationLower[d] || i >= n - static_cast<long>(t.truncationUpper[d]))
    return -1;
  const long place = t.paddingLower[d] + (i - t.truncationLower[d]) * t.dilation[d];
  return t.flip[d] ? total - 1 - place : place;
}

// Calls f(output, input, kernel) for every pair of elements of one dimension that are multiplied.
template <typename F> void pairs(const ConvParams &p, unsigned d, F f) {
  const ConvParams::OutputTransform &o = p.outputTransform;
  for (long k = 0; k < long(p.kernelShape[d]); ++k)
    for (long i = 0; i < long(p.inputFieldShape[d]); ++i) {
      const long at = placed(i, p.inputFieldShape[d], p.getTransformedInputSize(d), p.inputTransform, d);
      const long kernel = placed(k, p.kernelShape[d], p.getTransformedKernelSize(d), p.kernelTransform, d);
      const long x = at - kernel - long(o.truncationLower[d]);
      const long kept = long(p.getUntransformedOutputSize(d)) - o.truncationLower[d] - o.truncationUpper[d];
      if (at >= 0 && kernel >= 0 && x >= 0 && x < kept && x % o.stride[d] == 0)
        f(x / o.stride[d] + o.paddingLower[d], i, k);
    }
}

// All products of a convolution with two field dimensions: f(index of output, input, weight).
template <typename F> void products(const ConvParams &p, F f) {
  const std::size_t ci = p.inputChannelsPerConvGroup, co = p.outputChannelsPerConvGroup, g = p.numConvGroups;
  for (std::size_t bg = 0; bg < p.batchSize * g; ++bg)
    for (std::size_t o = 0; o < co; ++o)
      for (std::size_t c = 0; c < ci; ++c)
        pairs(p, 0, [&](long y, long iy, long ky) {
          pairs(p, 1, [&](long x, long ix, long kx) {
            f(((bg * co + o) * p.getOutputSize(0) + y) * p.getOutputSize(1) + x,
              ((bg * ci + c) * p.inputFieldShape[0] + iy) * p.inputFieldShape[1] + ix,
              (((bg % g * co + o) * ci + c) * p.kernelShape[0] + ky) * p.kernelShape[1] + kx);
          });
        });
}

std::size_t count(const std::vector<std::size_t> &shape) {
  std::size_t n = 1;
  for (const std::size_t s : shape)
    n *= s;
  return n;
}

// Forward, both gradients and the update of the weights.
void checkConvolution(const ConvParams &p, bool planned = true) {
  Machine f;
  const std::vector<std::size_t> inShape{p.batchSize, p.getNumInputChans(), p.inputFieldShape[0], p.inputFieldShape[1]};
  const std::vector<std::size_t> wShape{p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup,
                                        p.kernelShape[0], p.kernelShape[1]};
  const Tensor in = planned ? poplin::createInput(f.graph, p) : f.graph.addVariable(FLOAT, inShape);
  const Tensor weights = planned ? poplin::createWeights(f.graph, p) : f.graph.addVariable(FLOAT, wShape);
  if (!planned) {
    f.graph.setTileMapping(in, 3);
    f.graph.setTileMapping(weights, 5);
  }
  CHECK_EQ(in.shape() == inShape, true);
  CHECK_EQ(weights.shape() == wShape, true);
  const Tensor out = poplin::convolution(f.graph, in, weights, p, false, f.prog, "forward");
  const ConvParams gradient = poplin::getGradientParams(p);
  const Tensor inDeltas = poplin::convolution(f.graph, out, weights, gradient, true, f.prog, "backward");
  CHECK_EQ(inDeltas.shape() == in.shape(), true);
  const Tensor wDeltas = poplin::calculateWeightDeltas(f.graph, out, in, p, f.prog, "deltas");
  poplin::convolutionWeightUpdate(f.graph, out, weights, in, p, 0.5f, f.prog, "update");
  f.expose("in", in);
  f.expose("weights", weights);
  f.expose("out", out);
  f.expose("inDeltas", inDeltas);
  f.expose("wDeltas", wDeltas);
  Engine e = f.engine();
  const std::vector<float> x = numbers(count(inShape), 1), w = numbers(count(wShape), 2);
  write(e, "in", x);
  write(e, "weights", w);
  e.run();

  std::vector<float> y(out.numElements()), dx(x.size()), dw(w.size());
  products(p, [&](std::size_t o, std::size_t i, std::size_t k) { y[o] += x[i] * w[k]; });
  products(p, [&](std::size_t o, std::size_t i, std::size_t k) { dx[i] += y[o] * w[k]; });
  products(p, [&](std::size_t o, std::size_t i, std::size_t k) { dw[k] += y[o] * x[i]; });
  CHECK_EQ(readFloats(e, "out", y.size()) == y, true);
  CHECK_EQ(readFloats(e, "inDeltas", dx.size()) == dx, true);
  CHECK_EQ(readFloats(e, "wDeltas", dw.size()) == dw, true);
  std::vector<float> updated = w;
  for (std::size_t i = 0; i < w.size(); ++i)
    updated[i] += 0.5f * dw[i];
  CHECK_EQ(readFloats(e, "weights", w.size()) == updated, true);
}

} // namespace

TEST(convolution_1x1) {
  checkConvolution({FLOAT, 2, {4, 5}, {1, 1}, 6, 7, 1});
  checkConvolution({FLOAT, 2, {4, 5}, {1, 1}, 6, 7, 1}, false);
}

TEST(convolution_3x3_with_padding) {
  ConvParams p(FLOAT, 2, {5, 6}, {3, 3}, 3, 4, 1);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {1, 1};
  checkConvolution(p);
  checkConvolution(p, false);
}

TEST(convolution_with_stride_and_uneven_padding) {
  ConvParams p(FLOAT, 1, {7, 8}, {3, 2}, 2, 3, 1);
  p.inputTransform.paddingLower = {1, 0};
  p.inputTransform.paddingUpper = {2, 1};
  p.outputTransform.stride = {2, 3};
  checkConvolution(p);
}

TEST(convolution_with_dilated_kernel_and_input) {
  ConvParams p(FLOAT, 1, {6, 5}, {2, 3}, 2, 2, 1);
  p.kernelTransform.dilation = {2, 1};
  p.inputTransform.dilation = {1, 2};
  p.inputTransform.paddingLower = {0, 1};
  checkConvolution(p);
}

TEST(convolution_with_truncation_and_output_padding) {
  ConvParams p(FLOAT, 1, {8, 7}, {3, 3}, 2, 2, 1);
  p.inputTransform.truncationLower = {1, 0};
  p.inputTransform.truncationUpper = {0, 1};
  p.outputTransform.truncationLower = {1, 0};
  p.outputTransform.paddingLower = {0, 1};
  p.outputTransform.paddingUpper = {2, 0};
  checkConvolution(p);
}

TEST(convolution_in_groups_and_depthwise) {
  checkConvolution({FLOAT, 2, {4, 4}, {2, 2}, 3, 2, 3});
  checkConvolution({FLOAT, 1, {4, 4}, {3, 3}, 1, 1, 5});
}

TEST(convolution_in_one_and_three_dimensions) {
  Machine f;
  const ConvParams p1(FLOAT, 2, {9}, {3}, 2, 3, 1), p3(FLOAT, 1, {3, 3, 3}, {2, 2, 2}, 1, 1, 1);
  const Tensor a = f.spread("a", {2, 2, 9}, 4), w = f.spread("w", {1, 3, 2, 3}, 4);
  const Tensor b = f.spread("b", {1, 1, 3, 3, 3}, 4), v = f.spread("v", {1, 1, 1, 2, 2, 2}, 4);
  f.expose("out1", poplin::convolution(f.graph, a, w, p1, false, f.prog));
  f.expose("out3", poplin::convolution(f.graph, b, v, p3, false, f.prog));
  Engine e = f.engine();
  write(e, "a", std::vector<float>(36, 1.f));
  write(e, "w", std::vector<float>(18, 2.f));
  write(e, "b", iota(27));
  write(e, "v", std::vector<float>(8, 1.f));
  e.run();
  CHECK_EQ(readFloats(e, "out1", 42) == std::vector<float>(42, 12.f), true);
  CHECK_EQ(readFloats(e, "out3", 8)[0], 0.f + 1 + 3 + 4 + 9 + 10 + 12 + 13);
}

TEST(transposed_weights_and_given_output) {
  Machine f;
  const ConvParams p(FLOAT, 1, {4, 4}, {2, 2}, 2, 3, 1);
  const Tensor in = f.spread("in", {1, 2, 4, 4}, 4), w = f.spread("w", {1, 3, 2, 2, 2}, 4);
  const Tensor t = f.spread("t", {1, 2, 3, 2, 2}, 4), out = f.spread("out", {1, 3, 3, 3}, 4);
  poplin::weightsTransposeChansFlipXY(f.graph, w, t, f.prog);
  poplin::convolutionWithOutput(f.graph, in, t, out, p, true, f.prog);
  f.expose("direct", poplin::convolution(f.graph, in, w, p, false, f.prog));
  Engine e = f.engine();
  write(e, "in", numbers(32, 0));
  write(e, "w", numbers(24, 1));
  e.run();
  CHECK_EQ(readFloats(e, "out", 27) == readFloats(e, "direct", 27), true);
}

TEST(misuse_of_convolution) {
  Machine f;
  const ConvParams p(FLOAT, 1, {4, 4}, {2, 2}, 2, 3, 1);
  const Tensor in = f.spread("in", {1, 2, 4, 4}, 4), w = f.spread("w", {1, 3, 2, 2, 2}, 4);
  const Tensor h = f.spread("h", {1, 2, 4, 4}, 4, HALF);
  CHECK_THROWS(poplin::convolution(f.graph, w, w, p, false, f.prog, "c"), poputil::poplibs_error, "'c': the input");
  CHECK_THROWS(poplin::convolution(f.graph, in, in, p, false, f.prog, "c"), poputil::poplibs_error, "weights");
  CHECK_THROWS(poplin::convolution(f.graph, in, w, p, true, f.prog, "c"), poputil::poplibs_error, "transposed");
  CHECK_THROWS(poplin::convolution(f.graph, h, w, p, false, f.prog, "c"), poputil::poplibs_error, "type half");
  CHECK_THROWS(ConvParams(FLOAT, 1, {2, 2}, {3, 3}, 1, 1, 1), poputil::poplibs_error, "does not fit");
  std::ostringstream text;
  text << p;
  poplin::reportPlanInfo(text, f.graph, p);
  CHECK_EQ(text.str().find("2 to 3 channels") != std::string::npos, true);
}

TEST(biases_are_added_to_their_channels) {
  Machine f;
  const ConvParams p(FLOAT, 2, {4, 5}, {1, 1}, 6, 7, 1);
  const Tensor w = poplin::createWeights(f.graph, p), in = poplin::createInput(f.graph, p);
  const Tensor out = poplin::convolution(f.graph, in, w, p, false, f.prog);
  const Tensor biases = poplin::createBiases(f.graph, out);
  poplin::addBias(f.graph, out, biases, f.prog);
  f.expose("w", w);
  f.expose("in", in);
  f.expose("out", out);
  f.expose("biases", biases);
  Engine e = f.engine();
  write(e, "w", std::vector<float>(42, 1.f));
  write(e, "in", std::vector<float>(240, 2.f));
  write(e, "biases", iota(7));
  e.run();
  const std::vector<float> got = readFloats(e, "out", 280);
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK_EQ(got[i], 12.f + static_cast<float>(i / 20 % 7));
  CHECK_THROWS(poplin::addBias(f.graph, out, w, f.prog, "bias"), poputil::poplibs_error, "'bias'");
}
