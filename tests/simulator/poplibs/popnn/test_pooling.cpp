// popnn::pooling, against loops on the host.
#include "machine.hpp"

#include <popnn/Pooling.hpp>

using namespace poplar;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

namespace {

// Calls f(output, input) for every element of every window of one dimension.
template <typename F> void windows(const PoolParams &p, unsigned d, F f) {
  const long n = long(p.inputFieldShape[d]), outputs = long(p.getOutputFieldShape()[d]);
  for (long o = 0; o < outputs; ++o)
    for (long k = 0; k < long(p.kernelShape[d]); ++k) {
      const long i = o * p.stride[d] + k - p.inputTruncationOrPaddingLower[d];
      if (i >= 0 && i < n)
        f(o, i);
    }
}

// Two field dimensions: f(output, input), for all channels and batches.
template <typename F> void pairs(const PoolParams &p, F f) {
  const std::vector<std::size_t> out = p.getOutputFieldShape();
  for (std::size_t c = 0; c < p.batchSize * p.numChannels; ++c)
    windows(p, 0, [&](long oy, long iy) {
      windows(p, 1, [&](long ox, long ix) {
        f((c * out[0] + oy) * out[1] + ox, (c * p.inputFieldShape[0] + iy) * p.inputFieldShape[1] + ix);
      });
    });
}

void checkPooling(PoolParams p) {
  for (const PoolingType kind : {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
    for (const bool scaled : {false, true}) {
      p.poolingType = kind;
      Machine f;
      const std::size_t channels = p.batchSize * p.numChannels, n = channels * p.inputFieldShape[0] * p.inputFieldShape[1];
      const std::vector<std::size_t> field = p.getOutputFieldShape();
      const std::size_t m = channels * field[0] * field[1];
      const Tensor in =
          f.spread("in", {p.batchSize, p.numChannels, p.inputFieldShape[0], p.inputFieldShape[1]}, 8, p.dType);
      const Tensor g = f.spread("g", {p.batchSize, p.numChannels, field[0], field[1]}, 8, p.dType);
      const Tensor out = popnn::pooling::pool(f.graph, p, in, f.prog);
      CHECK_EQ(out.shape() == g.shape(), true);
      const Tensor dx = popnn::pooling::poolInputGradient(f.graph, p, in, out, g, scaled, f.prog);
      CHECK_EQ(dx.shape() == in.shape(), true);
      f.expose("out", out);
      f.expose("dx", dx);
      Engine e = f.engine();
      std::vector<float> x(n), gs(m);
      for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<float>((i * 7) % 11) - 5;
      for (std::size_t i = 0; i < m; ++i)
        gs[i] = static_cast<float>((i * 5) % 7) - 3;
      f.put(e, "in", p.dType, x);
      f.put(e, "g", p.dType, gs);
      e.run();

      std::vector<float> sum(m), most(m, -1e9f), count(m), ties(m), wantGradient(n);
      pairs(p, [&](std::size_t o, std::size_t i) {
        sum[o] += x[i];
        ++count[o];
        most[o] = std::max(most[o], x[i]);
      });
      pairs(p, [&](std::size_t o, std::size_t i) { ties[o] += most[o] == x[i] ? 1 : 0; });
      pairs(p, [&](std::size_t o, std::size_t i) {
        const float share = kind == PoolingType::MAX ? (most[o] == x[i] ? (scaled ? 1 / ties[o] : 1) : 0)
                            : kind == PoolingType::AVG ? 1 / count[o]
                                                       : 1;
        wantGradient[i] += share * gs[o];
      });
      std::vector<float> want = kind == PoolingType::MAX ? most : sum;
      for (std::size_t i = 0; i < m && kind == PoolingType::AVG; ++i)
        want[i] /= count[i];
      CHECK(near(f.get(e, "out", p.dType, m), want, toleranceOf(p.dType)));
      CHECK(near(f.get(e, "dx", p.dType, n), wantGradient, 2 * toleranceOf(p.dType)));
    }
}

PoolParams params(std::vector<std::size_t> field, std::vector<std::size_t> kernel, std::vector<unsigned> stride,
                  std::vector<int> lower, std::vector<int> upper, Type type = FLOAT) {
  return {PoolingType::MAX, field, kernel, stride, lower, upper, 3, 2, type};
}

} // namespace

TEST(pooling_without_overlap) {
  checkPooling(params({6, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}));
  checkPooling(params({6, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, HALF));
}

TEST(pooling_with_overlap_padding_and_uneven_ends) {
  checkPooling(params({7, 6}, {3, 3}, {2, 1}, {1, 1}, {1, 0}));
  checkPooling(params({8, 5}, {3, 2}, {2, 2}, {0, 1}, {0, 0}));
}

TEST(pooling_with_truncation) { checkPooling(params({7, 7}, {2, 3}, {1, 2}, {-1, 1}, {1, -2})); }

TEST(global_pooling) { checkPooling(params({5, 4}, {5, 4}, {1, 1}, {0, 0}, {0, 0})); }

TEST(pooling_of_one_dimension) {
  Machine f;
  const PoolParams p(PoolingType::MAX, {6}, {2}, {2}, {0}, {0}, 1, 1, FLOAT);
  f.expose("out", popnn::pooling::pool(f.graph, p, f.spread("in", {1, 1, 6}, 2), f.prog));
  Engine e = f.engine();
  write(e, "in", std::vector<float>{1, 5, 2, 0, -3, -2});
  e.run();
  CHECK_EQ(readFloats(e, "out", 3) == (std::vector<float>{5, 2, -2}), true);
}

TEST(misuse_of_pooling) {
  Machine f;
  const PoolParams p(PoolingType::MAX, {6}, {2}, {2}, {0}, {0}, 1, 1, FLOAT);
  const Tensor in = f.spread("in", {1, 2, 6}, 2);
  CHECK_THROWS(popnn::pooling::pool(f.graph, p, in, f.prog, "p"), poputil::poplibs_error, "'p': the input is float{1,2,6}");
  CHECK_THROWS(popnn::pooling::poolInputGradient(f.graph, p, 1, in, f.prog), poputil::poplibs_error, "needs the input");
  CHECK_THROWS(PoolParams(PoolingType::MAX, {2}, {3}, {1}, {0}, {0}, 1, 1, FLOAT).getOutputFieldShape(),
               poputil::poplibs_error, "does not fit");
}
