// poprand: distributions, and what they depend on.
#include "fixture.hpp"

#include <poplar/replication_factor.hpp>
#include <poplar/RandomSeed.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

using namespace poplar;

namespace {

constexpr std::size_t count = 40000;

struct Random : Fixture {
  Tensor seed, reference;
  Random() : Fixture(8) {
    poprand::addCodelets(graph);
    seed = variable("seed", {2}, 2, UNSIGNED_INT);
    reference = spread("reference", count, 7);
  }
  std::vector<float> run(Engine &e, std::vector<unsigned> value = {12, 34}, const std::string &handle = "out") {
    write(e, "seed", value);
    e.run();
    return readFloats(e, handle, count);
  }
};

using Make = std::function<Tensor(Random &, const Tensor *, unsigned)>;

std::vector<float> numbers(const Make &make) {
  Random r;
  r.expose("out", make(r, &r.seed, 5));
  Engine e = r.engine();
  return r.run(e);
}

double mean(const std::vector<float> &x) {
  double sum = 0;
  for (float v : x)
    sum += v;
  return sum / static_cast<double>(x.size());
}

double variance(const std::vector<float> &x) {
  const double m = mean(x);
  double sum = 0;
  for (float v : x)
    sum += (v - m) * (v - m);
  return sum / static_cast<double>(x.size());
}

// Kolmogorov and Smirnov: the largest distance to the distribution times sqrt(n); above 2.2 once in 8000 times.
double distance(std::vector<float> x, const std::function<double(double)> &distribution) {
  std::sort(x.begin(), x.end());
  double d = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    d = std::max(d, std::fabs(distribution(x[i]) - (static_cast<double>(i) + 0.5) / static_cast<double>(x.size())));
  return d * std::sqrt(static_cast<double>(x.size()));
}

double correlationOfNeighbours(const std::vector<float> &x) {
  const double m = mean(x);
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    sum += (x[i] - m) * (x[i - 1] - m);
  return sum / variance(x) / static_cast<double>(x.size());
}

double gauss(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

const Make uniform = [](Random &r, const Tensor *seed, unsigned modifier) {
  return poprand::uniform(r.graph, seed, modifier, r.reference, FLOAT, -1, 3, r.prog);
};

std::vector<float> halves(Random &r, const Tensor &t) {
  r.expose("halves", t);
  Engine e = r.engine();
  write(e, "seed", std::vector<unsigned>{1, 2});
  e.run();
  const std::vector<unsigned short> bits = readAll<unsigned short>(e, "halves", count);
  std::vector<float> values(count);
  copyDeviceHalfToFloat(r.graph.getTarget(), bits.data(), values.data(), count);
  return values;
}

} // namespace

TEST(uniform_numbers) {
  const std::vector<float> x = numbers(uniform);
  CHECK(distance(x, [](double v) { return (v + 1) / 4; }) < 2.2);
  CHECK(std::fabs(mean(x) - 1) < 0.03);
  CHECK(std::fabs(variance(x) - 16.0 / 12) < 0.04);
  CHECK(std::fabs(correlationOfNeighbours(x)) < 0.02);
  CHECK(*std::min_element(x.begin(), x.end()) >= -1 && *std::max_element(x.begin(), x.end()) <= 3);
}

TEST(normal_numbers) {
  const std::vector<float> x = numbers([](Random &r, const Tensor *seed, unsigned modifier) {
    return poprand::normal(r.graph, seed, modifier, r.reference, FLOAT, 10, 2, r.prog);
  });
  CHECK(distance(x, [](double v) { return gauss((v - 10) / 2); }) < 2.2);
  CHECK(std::fabs(variance(x) - 4) < 0.15);
  CHECK(std::fabs(correlationOfNeighbours(x)) < 0.02);
  CHECK(*std::max_element(x.begin(), x.end()) > 10 + 2 * 3.3); // tails
}

TEST(truncated_normal_numbers) {
  const std::vector<float> x = numbers([](Random &r, const Tensor *seed, unsigned modifier) {
    return poprand::truncatedNormal(r.graph, seed, modifier, r.reference, FLOAT, 0, 1, 1.5, r.prog);
  });
  const double low = gauss(-1.5), all = gauss(1.5) - low;
  CHECK(distance(x, [&](double v) { return (gauss(v) - low) / all; }) < 2.2);
  for (float v : x)
    CHECK(std::fabs(v) <= 1.5f);
}

TEST(logarithmically_uniform_numbers) {
  const std::vector<float> x = numbers([](Random &r, const Tensor *seed, unsigned modifier) {
    return poprand::logUniform(r.graph, seed, modifier, r.reference, FLOAT, 2, 1000, r.prog, 10);
  });
  CHECK(distance(x, [](double v) { return std::log(v / 2) / std::log(500.0); }) < 2.2);
  for (float v : x)
    CHECK(v >= 2 && v <= 1000);
}

TEST(integers_include_both_ends) {
  Random r;
  r.expose("out", poprand::uniform(r.graph, &r.seed, 0, r.reference, INT, -2, 3, r.prog));
  r.expose("all", poprand::uniform(r.graph, &r.seed, 1, r.reference, INT, -2147483648.0, 2147483647, r.prog));
  r.expose("coin", poprand::bernoulli(r.graph, &r.seed, 2, r.reference, INT, 0.25, r.prog));
  Engine e = r.engine();
  write(e, "seed", std::vector<unsigned>{7, 8});
  e.run();
  std::vector<std::size_t> seen(6);
  for (int v : readAll<int>(e, "out", count))
    ++seen.at(static_cast<std::size_t>(v + 2));
  for (std::size_t n : seen)
    CHECK(std::fabs(static_cast<double>(n) - count / 6.0) < 5 * std::sqrt(count / 6.0));
  std::size_t negative = 0, ones = 0;
  for (int v : readAll<int>(e, "all", count))
    negative += v < 0;
  for (int v : readAll<int>(e, "coin", count))
    ones += v == 1;
  CHECK(std::fabs(static_cast<double>(negative) - count / 2.0) < 500);
  CHECK(std::fabs(static_cast<double>(ones) - count / 4.0) < 500);
}

TEST(halves_stay_in_their_range) {
  Random u;
  const std::vector<float> x = halves(u, poprand::uniform(u.graph, &u.seed, 0, u.reference, HALF, 0.1, 0.2, u.prog));
  CHECK(std::fabs(mean(x) - 0.15) < 0.001);
  CHECK(*std::min_element(x.begin(), x.end()) >= 0.1f && *std::max_element(x.begin(), x.end()) <= 0.2f);
  Random n;
  CHECK(std::fabs(variance(halves(n, poprand::normal(n.graph, &n.seed, 0, n.reference, HALF, 0, 1, n.prog))) - 1) <
        0.03);
}

TEST(certain_and_impossible) {
  for (double p : {0.0, 1.0}) {
    const std::vector<float> x = numbers([p](Random &r, const Tensor *seed, unsigned modifier) {
      return poprand::bernoulli(r.graph, seed, modifier, r.reference, FLOAT, p, r.prog);
    });
    CHECK_EQ(x, std::vector<float>(count, static_cast<float>(p)));
  }
}

TEST(numbers_depend_on_seed_and_modifier_only) {
  Random r;
  r.expose("a", uniform(r, &r.seed, 1));
  uniform(r, nullptr, 0); // changes nothing for the seeded
  r.expose("again", uniform(r, &r.seed, 1));
  r.expose("other", uniform(r, &r.seed, 2));
  Engine e = r.engine();
  const std::vector<float> a = r.run(e, {12, 34}, "a");
  CHECK_EQ(readFloats(e, "again", count), a);
  CHECK(readFloats(e, "other", count) != a);
  CHECK_EQ(r.run(e, {12, 34}, "a"), a);
  CHECK(r.run(e, {13, 34}, "a") != a);
  CHECK(r.run(e, {12, 35}, "a") != a);
  CHECK_EQ(std::set<float>(a.begin(), a.begin() + 2000).size() > 1990, true);
}

TEST(without_a_seed_the_generators_go_on) {
  Random r;
  r.expose("a", uniform(r, nullptr, 0));
  r.expose("b", uniform(r, nullptr, 0));
  Engine e = r.engine();
  const std::vector<float> first = r.run(e, {0, 0}, "a");
  CHECK(readFloats(e, "b", count) != first);
  CHECK(r.run(e, {0, 0}, "a") != first);
}

TEST(replicas_without_a_seed_draw_other_numbers) {
  const Device device = Fixture::makeDevice(4, 2);
  Graph graph(device.getTarget(), replication_factor(2));
  poprand::addCodelets(graph);
  const Tensor reference = graph.addVariable(FLOAT, {100}, VariableMappingMethod::LINEAR);
  program::Sequence prog;
  graph.createHostRead("out", poprand::uniform(graph, nullptr, 0, reference, FLOAT, 0, 1, prog));
  Engine e(graph, prog);
  e.load(device);
  e.run();
  const std::vector<float> both = readFloats(e, "out", 200);
  CHECK(std::vector<float>(both.begin(), both.begin() + 100) != std::vector<float>(both.begin() + 100, both.end()));
  CHECK(std::fabs(mean(both) - 0.5) < 0.1);
  e.run();
  CHECK(readFloats(e, "out", 200) != both); // the generators went on
}

TEST(a_cpu_device_has_one_worker) {
  const Device cpu = Device::createCPUDevice();
  Graph graph(cpu.getTarget());
  poprand::addCodelets(graph);
  const Tensor reference = graph.addVariable(FLOAT, {1000}, VariableMappingMethod::LINEAR);
  program::Sequence prog;
  graph.createHostRead("out", poprand::uniform(graph, nullptr, 0, reference, FLOAT, 0, 1, prog));
  Engine e(graph, prog);
  e.load(cpu);
  e.run();
  CHECK(std::fabs(mean(readFloats(e, "out", 1000)) - 0.5) < 0.05);
}

TEST(set_seed_starts_the_generators_anew) {
  Random r;
  poprand::setSeed(r.graph, r.seed, 3, r.prog);
  const Tensor before = getHwSeeds(r.graph, r.prog);
  r.expose("a", uniform(r, nullptr, 0));
  setHwSeeds(r.graph, before, r.prog);
  r.expose("b", uniform(r, nullptr, 0));
  Engine e = r.engine();
  const std::vector<float> first = r.run(e, {9, 9}, "a");
  CHECK_EQ(readFloats(e, "b", count), first);
  CHECK_EQ(r.run(e, {9, 9}, "a"), first);
  CHECK(r.run(e, {9, 8}, "a") != first);
}

TEST(dropout_keeps_and_scales) {
  for (bool clonesReference : {true, false}) {
    Random r;
    const Tensor in = r.variable("in", {count}, 4);
    const Tensor out = poprand::dropout(r.graph, &r.seed, 0, in, r.reference, 0.75, 4, clonesReference, r.prog);
    CHECK_EQ(r.graph.getTileMapping(out) == r.graph.getTileMapping(clonesReference ? r.reference : in), true);
    r.expose("out", out);
    Engine e = r.engine();
    write(e, "in", iota(count, 1));
    const std::vector<float> x = r.run(e);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(x[i] == 0 || x[i] == 4 * static_cast<float>(i + 1));
      kept += x[i] != 0;
    }
    CHECK(std::fabs(static_cast<double>(kept) / count - 0.75) < 0.015);
  }
}

TEST(shaped_dropout_drops_rows) {
  Random r;
  const Tensor in = r.spread("in", {200, 10}, 5);
  const Tensor rows = r.variable("rows", {200, 1}, 1);
  r.expose("out", poprand::shapedDropout(r.graph, &r.seed, 0, in, rows, 0.5, 2, r.prog));
  CHECK_THROWS(poprand::shapedDropout(r.graph, &r.seed, 0, in, r.reference, 0.5, 2, r.prog), poputil::poplibs_error,
               "does not broadcast");
  Engine e = r.engine();
  write(e, "in", std::vector<float>(2000, 3));
  write(e, "seed", std::vector<unsigned>{1, 1});
  e.run();
  const std::vector<float> x = readFloats(e, "out", 2000);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < 200; ++row) {
    kept += x[row * 10] != 0;
    for (std::size_t i = 0; i < 10; ++i)
      CHECK(x[row * 10 + i] == x[row * 10] && (x[row * 10] == 0 || x[row * 10] == 6));
  }
  CHECK(kept > 70 && kept < 130);
}

TEST(wrong_arguments) {
  Random r;
  CHECK_THROWS(poprand::uniform(r.graph, &r.reference, 0, r.reference, FLOAT, 0, 1, r.prog), poputil::poplibs_error,
               "a seed is unsigned int of shape {2}");
  CHECK_THROWS(poprand::uniform(r.graph, &r.seed, 0, r.reference, BOOL, 0, 1, r.prog, "u"), poputil::poplibs_error,
               "poprand::uniform 'u': makes float, half and int, not bool");
  CHECK_THROWS(poprand::normal(r.graph, &r.seed, 0, r.reference, INT, 0, 1, r.prog), poputil::poplibs_error, "not int");
  CHECK_THROWS(poprand::uniform(r.graph, &r.seed, 0, r.reference, FLOAT, 1, 0, r.prog), poputil::poplibs_error,
               "no range");
  CHECK_THROWS(poprand::uniform(r.graph, &r.seed, 0, r.reference, INT, 0, 1e10, r.prog), poputil::poplibs_error,
               "no range");
  CHECK_THROWS(poprand::bernoulli(r.graph, &r.seed, 0, r.reference, FLOAT, 1.5, r.prog), poputil::poplibs_error,
               "not between 0 and 1");
  CHECK_THROWS(poprand::truncatedNormal(r.graph, &r.seed, 0, r.reference, FLOAT, 0, 1, 0.5, r.prog),
               poputil::poplibs_error, "at least 1");
  CHECK_THROWS(poprand::logUniform(r.graph, &r.seed, 0, r.reference, FLOAT, 0.5, 2, r.prog), poputil::poplibs_error,
               "1 <= minVal < maxVal");
}
