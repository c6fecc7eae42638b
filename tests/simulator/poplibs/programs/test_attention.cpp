// A block of a transformer: layer norm, attention of several heads, residual; the same on the host.
#include "network.hpp"

#include <poplin/MatMul.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <poputil/TileMapping.hpp>

namespace {

constexpr std::size_t tokens = 6, width = 8, heads = 2, each = width / heads;
constexpr float eps = 1e-3f;

// {tokens, width} in heads: {heads, tokens, each}.
Tensor inHeads(const Tensor &t) { return t.reshape({tokens, heads, each}).dimShuffle({1, 0, 2}); }

Matrix block(const Matrix &x, const Matrix &wqkv, const Matrix &wo) {
  Matrix white(x.size()), mixed(x.size());
  for (std::size_t t = 0; t < tokens; ++t) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < width; ++i)
      mean += x[t * width + i] / width;
    for (std::size_t i = 0; i < width; ++i)
      square += std::pow(x[t * width + i] - mean, 2) / width;
    for (std::size_t i = 0; i < width; ++i)
      white[t * width + i] = (x[t * width + i] - mean) / std::sqrt(square + eps) * 1.5 + 0.25;
  }
  const Matrix qkv = product(white, wqkv, tokens, width, 3 * width);
  const auto at = [&](std::size_t which, std::size_t t, std::size_t i) {
    return qkv[t * 3 * width + which * width + i];
  };
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t t = 0; t < tokens; ++t) {
      std::vector<double> weight(tokens);
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s) { // causal
        for (std::size_t i = 0; i < each; ++i)
          weight[s] += at(0, t, h * each + i) * at(1, s, h * each + i) / std::sqrt(each);
        sum += weight[s] = std::exp(weight[s]);
      }
      for (std::size_t s = 0; s <= t; ++s)
        for (std::size_t i = 0; i < each; ++i)
          mixed[t * width + h * each + i] += weight[s] / sum * at(2, s, h * each + i);
    }
  Matrix out = product(mixed, wo, tokens, width, width);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] += x[i];
  return out;
}

} // namespace

TEST(a_block_of_a_transformer) {
  using namespace popops::expr;
  Network f;
  const Tensor x = f.spread("x", {tokens, width}, 8);
  const Tensor gamma = f.spread("gamma", width, 2), beta = f.spread("beta", width, 2);
  const Tensor wqkv = poplin::createMatMulInputRHS(f.graph, FLOAT, {tokens, width}, {width, 3 * width}, "wqkv");
  const Tensor wo = poplin::createMatMulInputRHS(f.graph, FLOAT, {tokens, width}, {width, width}, "wo");
  f.expose("wqkv", wqkv);
  f.expose("wo", wo);
  const auto moments = popnn::ln::layerNormStatistics(f.graph, x, eps, f.prog, false, true, FLOAT, "ln");
  const Tensor white =
      popnn::ln::layerNormalise(f.graph, x, gamma, beta, moments.first, moments.second, f.prog, "ln").first;
  const Tensor qkv = poplin::matMul(f.graph, white, wqkv, f.prog, "qkv");
  const Tensor q = inHeads(qkv.slice(0, width, 1)), k = inHeads(qkv.slice(width, 2 * width, 1)),
               v = inHeads(qkv.slice(2 * width, 3 * width, 1));
  const Tensor scores = poplin::matMulGrouped(f.graph, q, k.dimShuffle({0, 2, 1}), f.prog, FLOAT, "scores");
  std::vector<float> triangle(tokens * tokens);
  for (std::size_t i = 0; i < triangle.size(); ++i)
    triangle[i] = i % tokens > i / tokens ? -1e9f : 0;
  const Tensor mask = f.graph.addConstant<float>(FLOAT, {1, tokens, tokens}, triangle, "mask");
  poputil::mapTensorLinearly(f.graph, mask);
  popops::mapInPlace(f.graph, _1 * Const(1 / std::sqrt(float(each))) + _2, {scores, mask}, f.prog, "mask");
  popnn::softmaxStableInPlace(f.graph, scores, f.prog, "softmax");
  const Tensor mixed = poplin::matMulGrouped(f.graph, scores, v, f.prog, FLOAT, "mixed");
  const Tensor merged = mixed.dimShuffle({1, 0, 2}).reshape({tokens, width});
  const Tensor out = poplin::matMul(f.graph, merged, wo, f.prog, "out");
  popops::addInPlace(f.graph, out, x, f.prog, "residual");
  f.expose("out", out);

  Engine e = f.engine();
  const Matrix xs = someNumbers(tokens * width, 1), ws = someNumbers(width * 3 * width, 2),
               os = someNumbers(width * width, 3);
  write(e, "x", floats(xs));
  write(e, "gamma", std::vector<float>(width, 1.5f));
  write(e, "beta", std::vector<float>(width, 0.25f));
  write(e, "wqkv", floats(ws));
  write(e, "wo", floats(os));
  e.run();
  CHECK(near(readFloats(e, "out", tokens * width), block(xs, ws, os), 1e-4));
}
