// The normalisations, against their definitions.
#include "machine.hpp"

#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>

#include <functional>

using namespace poplar;

namespace {

constexpr float eps = 0.01f;
constexpr std::size_t batch = 3, channels = 6, field = 20, total = batch * channels * field;

// Which mean an element belongs to.
using MeanOf = std::function<std::size_t(std::size_t b, std::size_t c)>;

struct Want {
  std::vector<float> mean, invStdDev, whitened, out;
};

float gammaOf(std::size_t c) { return 0.5f + static_cast<float>(c); }
float betaOf(std::size_t c) { return static_cast<float>(c) - 2; }

Want expected(const std::vector<float> &x, std::size_t means, bool unbiased, const MeanOf &meanOf) {
  std::vector<double> sum(means), square(means), count(means);
  const auto at = [&](std::size_t i) { return meanOf(i / field / channels, i / field % channels); };
  for (std::size_t i = 0; i < total; ++i) {
    sum[at(i)] += x[i];
    ++count[at(i)];
  }
  for (std::size_t i = 0; i < total; ++i)
    square[at(i)] += std::pow(x[i] - sum[at(i)] / count[at(i)], 2);
  Want w;
  for (std::size_t m = 0; m < means; ++m) {
    w.mean.push_back(static_cast<float>(sum[m] / count[m]));
    w.invStdDev.push_back(static_cast<float>(1 / std::sqrt(square[m] / (count[m] - unbiased) + eps)));
  }
  for (std::size_t i = 0; i < total; ++i) {
    w.whitened.push_back((x[i] - w.mean[at(i)]) * w.invStdDev[at(i)]);
    w.out.push_back(w.whitened[i] * gammaOf(i / field % channels) + betaOf(i / field % channels));
  }
  return w;
}

using Pair = std::pair<Tensor, Tensor>;
using Statistics = std::function<Pair(Graph &, Tensor, program::Sequence &)>;
using Normalise =
    std::function<Pair(Graph &, Tensor acts, Tensor gamma, Tensor beta, Pair statistics, program::Sequence &)>;

void checkNorm(const Type &type, std::size_t means, bool unbiased, const MeanOf &meanOf, const Statistics &statistics,
               const Normalise &normalise) {
  Machine f;
  const Tensor acts = f.spread("acts", {batch, channels, 4, 5}, 8, type);
  const Tensor gamma = f.spread("gamma", channels, 2, type), beta = f.spread("beta", channels, 2, type);
  const Pair s = statistics(f.graph, acts, f.prog), result = normalise(f.graph, acts, gamma, beta, s, f.prog);
  CHECK_EQ(result.first.shape() == acts.shape(), true);
  f.expose("mean", s.first);
  f.expose("invStdDev", s.second);
  f.expose("out", result.first);
  f.expose("whitened", result.second);
  Engine e = f.engine();
  const std::vector<float> x = values(total);
  f.put(e, "acts", type, x);
  std::vector<float> gammas, betas;
  for (std::size_t c = 0; c < channels; ++c) {
    gammas.push_back(gammaOf(c));
    betas.push_back(betaOf(c));
  }
  f.put(e, "gamma", type, gammas);
  f.put(e, "beta", type, betas);
  e.run();
  const Want want = expected(x, means, unbiased, meanOf);
  const float tolerance = 4 * toleranceOf(type);
  CHECK(near(f.get(e, "mean", type, means), want.mean, tolerance));
  CHECK(near(f.get(e, "invStdDev", type, means), want.invStdDev, tolerance));
  CHECK(near(f.get(e, "whitened", type, total), want.whitened, tolerance));
  CHECK(near(f.get(e, "out", type, total), want.out, 2 * tolerance));
}

} // namespace

TEST(batch_norm) {
  for (const Type &type : {FLOAT, HALF})
    for (const bool unbiased : {false, true})
      checkNorm(
          type, channels, unbiased, [](std::size_t, std::size_t c) { return c; },
          [=](Graph &g, Tensor acts, program::Sequence &prog) {
            return popnn::bn::batchNormStatistics(g, acts, eps, prog, unbiased);
          },
          [](Graph &g, Tensor acts, Tensor gamma, Tensor beta, Pair s, program::Sequence &prog) {
            return popnn::bn::batchNormalise(g, acts, gamma, beta, s.first, s.second, prog);
          });
}

TEST(group_norm_strided_and_not) {
  for (const char *strided : {"true", "false"}) {
    const OptionFlags options{{"groupNormStridedChannelGrouping", strided}};
    checkNorm(
        FLOAT, batch * 2, false,
        [=](std::size_t b, std::size_t c) { return b * 2 + (*strided == 't' ? c % 2 : c / 3); },
        [=](Graph &g, Tensor acts, program::Sequence &prog) {
          return popnn::gn::groupNormStatistics(g, acts, eps, prog, 2, false, true, FLOAT, "gn", options);
        },
        [=](Graph &g, Tensor acts, Tensor gamma, Tensor beta, Pair s, program::Sequence &prog) {
          return popnn::gn::groupNormalise(g, acts, gamma, beta, s.first, s.second, prog, "gn", options);
        });
  }
}

TEST(instance_and_layer_norm) {
  checkNorm(
      FLOAT, batch * channels, false, [](std::size_t b, std::size_t c) { return b * channels + c; },
      [](Graph &g, Tensor acts, program::Sequence &prog) {
        return popnn::in::instanceNormStatistics(g, acts, eps, prog, false);
      },
      [](Graph &g, Tensor acts, Tensor gamma, Tensor beta, Pair s, program::Sequence &prog) {
        return popnn::in::instanceNormalise(g, acts, gamma, beta, s.first, s.second, prog);
      });
  checkNorm(
      FLOAT, batch, true, [](std::size_t b, std::size_t) { return b; },
      [](Graph &g, Tensor acts, program::Sequence &prog) {
        return popnn::ln::layerNormStatistics(g, acts, eps, prog, true);
      },
      [](Graph &g, Tensor acts, Tensor gamma, Tensor beta, Pair s, program::Sequence &prog) {
        return popnn::ln::layerNormalise(g, acts, gamma, beta, s.first, s.second, prog);
      });
}

TEST(gradients_of_norms) {
  Machine f;
  const OptionFlags consecutive{{"groupNormStridedChannelGrouping", "false"}};
  const Tensor white = f.spread("white", {batch, channels, 4, 5}, 8), g = f.spread("g", {batch, channels, 4, 5}, 8);
  const Tensor gamma = f.spread("gamma", channels, 2), invB = f.spread("invB", channels, 2);
  const Tensor invG = f.spread("invG", batch * 2, 2);
  const auto params = popnn::bn::batchNormParamGradients(f.graph, white, g, f.prog);
  f.expose("gammaDelta", params.first);
  f.expose("betaDelta", params.second);
  f.expose("batch", popnn::bn::batchNormGradients(f.graph, white, g, invB, gamma, f.prog));
  f.expose("group", popnn::gn::groupNormGradients(f.graph, white, g, invG, gamma, f.prog, FLOAT, "gn", consecutive));
  Engine e = f.engine();
  const std::vector<float> x = values(total), gs = values(total, 4), gammas{1, 2, 3, 4, 5, 6};
  const std::vector<float> invs{1, .5f, 2, 1, 3, .25f};
  write(e, "white", x);
  write(e, "g", gs);
  write(e, "gamma", gammas);
  write(e, "invB", invs);
  write(e, "invG", invs);
  e.run();
  std::vector<float> gammaDelta(channels), betaDelta(channels);
  for (std::size_t i = 0; i < total; ++i) {
    gammaDelta[i / field % channels] += gs[i] * x[i];
    betaDelta[i / field % channels] += gs[i];
  }
  const auto gradients = [&](std::size_t means, const MeanOf &meanOf) {
    std::vector<double> sum(means), product(means);
    std::vector<float> want(total);
    const auto at = [&](std::size_t i) { return meanOf(i / field / channels, i / field % channels); };
    for (std::size_t i = 0; i < total; ++i) {
      sum[at(i)] += gs[i] * gammas[i / field % channels];
      product[at(i)] += gs[i] * gammas[i / field % channels] * x[i];
    }
    const double n = double(total) / double(means);
    for (std::size_t i = 0; i < total; ++i)
      want[i] = static_cast<float>(
          (gs[i] * gammas[i / field % channels] - sum[at(i)] / n - x[i] * product[at(i)] / n) * invs[at(i)]);
    return want;
  };
  CHECK(near(readFloats(e, "gammaDelta", channels), gammaDelta, 1e-4f));
  CHECK(near(readFloats(e, "betaDelta", channels), betaDelta, 1e-4f));
  CHECK(near(readFloats(e, "batch", total), gradients(channels, [](std::size_t, std::size_t c) { return c; }), 1e-4f));
  CHECK(near(readFloats(e, "group", total),
             gradients(batch * 2, [](std::size_t b, std::size_t c) { return b * 2 + c / 3; }), 1e-4f));
}

TEST(batch_norm_for_inference_and_without_field) {
  Machine f;
  const Tensor acts = f.spread("acts", {4, 3}, 4), factor = f.spread("factor", 3, 1);
  const Tensor summand = f.spread("summand", 3, 1);
  f.expose("out", popnn::bn::batchNormalise(f.graph, acts, factor, summand, f.prog));
  f.expose("mean", popnn::bn::batchNormStatistics(f.graph, acts, eps, f.prog, false).first);
  Engine e = f.engine();
  write(e, "acts", iota(12));
  write(e, "factor", std::vector<float>{1, 2, 3});
  write(e, "summand", std::vector<float>{0, -1, 1});
  e.run();
  const std::vector<float> got = readFloats(e, "out", 12);
  for (std::size_t i = 0; i < 12; ++i)
    CHECK_EQ(got[i],
             static_cast<float>(i) * static_cast<float>(i % 3 + 1) + (i % 3 == 0 ? 0.f : i % 3 == 1 ? -1.f : 1.f));
  CHECK_EQ(readFloats(e, "mean", 3) == (std::vector<float>{4.5f, 5.5f, 6.5f}), true);
}

TEST(statistics_of_one_element_and_of_none) {
  Machine f;
  const Tensor one = f.spread("one", {2, 1, 1}, 2), none = f.spread("none", {2, 3, 0}, 1);
  const auto ofOne = popnn::gn::groupNormStatistics(f.graph, one, 1.f, f.prog, 1, true);
  const auto ofNone = popnn::gn::groupNormStatistics(f.graph, none, 1.f, f.prog, 1, false);
  f.expose("mean", poplar::concat(ofOne.first, ofNone.first));
  f.expose("deviation", poplar::concat(ofOne.second, ofNone.second));
  Engine e = f.engine();
  write(e, "one", std::vector<float>{7, 8});
  e.run();
  CHECK(readFloats(e, "mean", 4) == (std::vector<float>{7, 8, 0, 0}));
  CHECK(readFloats(e, "deviation", 4) == (std::vector<float>{1, 1, 1, 1}));
}

TEST(misuse_of_norms) {
  Machine f;
  const Tensor acts = f.spread("acts", {2, 6, 3}, 4), few = f.spread("few", 3, 1), vector = f.spread("vector", 6, 1);
  CHECK_THROWS(popnn::gn::groupNormStatistics(f.graph, acts, eps, f.prog, 4, false), poputil::poplibs_error,
               "4 groups");
  CHECK_THROWS(popnn::bn::batchNormWhiten(f.graph, acts, few, few, f.prog, "bn"), poputil::poplibs_error,
               "there are 6");
  CHECK_THROWS(popnn::bn::batchNormStatistics(f.graph, vector, eps, f.prog, false), poputil::poplibs_error, "batch");
  CHECK_THROWS(popnn::bn::batchNormalise(f.graph, acts, few, few, f.prog), poputil::poplibs_error, "6 channels");
  CHECK_THROWS(popnn::bn::batchNormStatistics(f.graph, acts, eps, f.prog, false, false, FLOAT, "bn", {{"speed", "1"}}),
               invalid_option, "speed");
}

TEST(gradients_from_activations_that_are_not_whitened) {
  Machine f;
  const Tensor acts = f.spread("acts", {batch, channels, 4, 5}, 8), g = f.spread("g", {batch, channels, 4, 5}, 8);
  Tensor gamma = f.spread("gamma", channels, 2), beta = f.spread("beta", channels, 2);
  const Pair b = popnn::bn::batchNormStatistics(f.graph, acts, eps, f.prog, false);
  const Pair l = popnn::ln::layerNormStatistics(f.graph, acts, eps, f.prog, false);
  const Tensor whiteB = popnn::bn::batchNormWhiten(f.graph, acts, b.first, b.second, f.prog);
  const Tensor whiteL = popnn::ln::layerNormWhiten(f.graph, acts, l.first, l.second, f.prog);
  const Pair params = popnn::bn::batchNormParamGradients(f.graph, acts, g, b.first, b.second, f.prog);
  const Pair same = popnn::bn::batchNormParamGradients(f.graph, whiteB, g, f.prog);
  f.expose("gammaDelta", params.first);
  f.expose("betaDelta", params.second);
  f.expose("sameGammaDelta", same.first);
  f.expose("batch", popnn::bn::batchNormGradients(f.graph, acts, g, b.first, b.second, gamma, f.prog));
  f.expose("sameBatch", popnn::bn::batchNormGradients(f.graph, whiteB, g, b.second, gamma, f.prog));
  f.expose("layer", popnn::ln::layerNormGradients(f.graph, acts, g, l.first, l.second, gamma, f.prog));
  f.expose("sameLayer", popnn::ln::layerNormGradients(f.graph, whiteL, g, l.second, gamma, f.prog));
  f.expose("instance", popnn::in::instanceNormParamGradients(f.graph, whiteB, g, f.prog).second);
  popnn::bn::batchNormParamUpdate(f.graph, params.first, params.second, -0.5f, gamma, beta, f.prog);
  const Tensor rate = f.variable("rate", {});
  popnn::ln::layerNormParamUpdate(f.graph, params.first, params.second, rate, gamma, beta, f.prog);
  Engine e = f.engine();
  write(e, "acts", values(total));
  write(e, "g", values(total, 4));
  write(e, "gamma", std::vector<float>{1, 2, 3, 4, 5, 6});
  write(e, "beta", std::vector<float>(channels, 1));
  write(e, "rate", std::vector<float>{0.25f});
  e.run();
  const std::vector<float> gammaDelta = readFloats(e, "gammaDelta", channels);
  const std::vector<float> betaDelta = readFloats(e, "betaDelta", channels);
  CHECK(gammaDelta == readFloats(e, "sameGammaDelta", channels));
  CHECK(betaDelta == readFloats(e, "instance", channels));
  CHECK(readFloats(e, "batch", total) == readFloats(e, "sameBatch", total));
  CHECK(readFloats(e, "layer", total) == readFloats(e, "sameLayer", total));
  std::vector<float> gammas, betas;
  for (std::size_t c = 0; c < channels; ++c) {
    gammas.push_back(static_cast<float>(c + 1) - 0.25f * gammaDelta[c]);
    betas.push_back(1 - 0.25f * betaDelta[c]);
  }
  CHECK(near(readFloats(e, "gamma", channels), gammas, 1e-5f));
  CHECK(near(readFloats(e, "beta", channels), betas, 1e-5f));
}
