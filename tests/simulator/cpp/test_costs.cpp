// Simulated cycles and bytes against sums done by hand.
#include "fixture.hpp"

#include <poplar/extensions/profile.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::program;

namespace {

// Costs of the model for an IPUModel of kind ipu2, see src/poplar/machine/machine.hpp.
constexpr double sync = 83, exchangeFixed = 82, copyLaunch = 72;

ProfileValue stepNamed(const Engine &e, const std::string &name) {
  const ProfileValue profile = e.getProfile();
  for (const ProfileValue &step : profile["steps"].asVector())
    if (step["name"].asString() == name)
      return step;
  check::fail(__FILE__, __LINE__, "no step " + name);
  return {};
}

double number(const ProfileValue &v, const std::string &key) { return v[key].asDouble(); }

} // namespace

// ceil(V / 6) rounds of six workers; multi-vertices one after another.
TEST(barrel_of_six_workers) {
  Fixture f;
  const Tensor x = f.variable("x", {40}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  for (unsigned i = 0; i < 13; ++i)
    f.graph.setPerfEstimate(f.vertex(cs, "AddTo", 0, {{"data", x.slice(i, i + 1)}, {"amount", one}}), 100);
  for (unsigned i = 0; i < 2; ++i) {
    const Tensor part = x.slice(20 + i, 21 + i);
    f.graph.setPerfEstimate(f.vertex(cs, "Axpy<float>", 0, {{"x", part}, {"y", part}, {"out", part}, {"a", 1}}), 1000);
  }
  f.prog.add(Repeat(3, Execute(cs)));
  Engine e = f.engine();
  e.run();
  const ProfileValue step = stepNamed(e, "cs");
  CHECK_EQ(number(step, "computeCycles"), 3 * (3 * 6 * 100.0 + 2 * 1000));
  CHECK_EQ(number(step, "syncCycles"), 3 * sync);
  CHECK_EQ(number(step, "exchangeCycles"), 0.0);
  CHECK_EQ(number(step, "executions"), 3.0);
  CHECK_EQ(number(step, "balance"), 1.0 / 8);
}

TEST(default_and_registered_estimates) {
  Fixture f;
  const Tensor x = f.variable("x", {100}), s = f.variable("s", {2});
  const ComputeSet first = f.graph.addComputeSet("first"), second = f.graph.addComputeSet("second");
  f.vertex(first, "Sum", 0, {{"in", x}, {"sum", s[0]}});
  f.graph.registerPerfEstimator("Gather", [](const VertexIntrospector &v, const Target &target) {
    CHECK_EQ(target.getNumWorkerContexts(), 6u);
    CHECK_EQ(v.getFieldInfo("in")[0].size(), 1u);
    return VertexPerfEstimate(10 * v.getFieldInfo("in").size());
  });
  f.vertex(second, "Gather", 0, {{"in", x.slice(0, 5)}, {"out", s[1]}});
  f.prog = Sequence({Execute(first), Execute(second)});
  Engine e = f.engine();
  e.run();
  CHECK_EQ(number(stepNamed(e, "first"), "computeCycles"), 6 * (7 + 100 + 1 + 2 * 100.0));
  CHECK_EQ(number(stepNamed(e, "second"), "computeCycles"), 6 * 50.0);
  const ProfileValue profile = e.getProfile();
  const auto &types = profile["vertexTypes"].asVector();
  CHECK_EQ(types.size(), 2u);
  CHECK_EQ(types[0]["name"].asString(), std::string("Gather"));
  CHECK_EQ(types[0]["estimateSource"].asString(), std::string("estimator"));
  CHECK_EQ(types[1]["estimateSource"].asString(), std::string("default"));
}

// Three tiles read the same 1000 elements of a fourth: each receives 4000 bytes, which are sent once.
TEST(exchange_before_a_compute_set) {
  Fixture f;
  const Tensor x = f.variable("x", {1000}, 3), s = f.variable("s", {3});
  const ComputeSet cs = f.graph.addComputeSet("cs");
  for (unsigned t = 0; t < 3; ++t) {
    f.graph.setTileMapping(s[t], t);
    for (unsigned twice = 0; twice < 2; ++twice) // the second vertex of a tile needs nothing new
      f.vertex(cs, "Sum", t, {{"in", x}, {"sum", twice ? f.variable("s" + std::to_string(t), {}, t) : s[t]}});
  }
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  const ProfileValue step = stepNamed(e, "cs");
  CHECK_EQ(number(step, "bytesExchanged"), 3 * 4000.0);
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 1000);
  CHECK_EQ(number(step, "syncCycles"), 2 * sync);
  CHECK_EQ(number(step, "rearrangedBytes"), 0.0);
}

// Many small pieces cost three cycles each; results that live elsewhere travel after the compute set.
TEST(fragments_and_exchange_afterwards) {
  Fixture f;
  const Tensor m = f.variable("m", {100, 8}, 1), s = f.variable("s", {}, 2);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Sum", 0, {{"in", m.transpose()[3]}, {"sum", s}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  const ProfileValue step = stepNamed(e, "cs");
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 300 + exchangeFixed + 3);
  CHECK_EQ(number(step, "bytesExchanged"), 404.0);
  CHECK_EQ(number(step, "syncCycles"), 3 * sync);
}

TEST(rearrangement_on_the_tile) {
  Fixture f;
  const Tensor m = f.variable("m", {100, 8}), s = f.variable("s", {}), x = f.variable("x", {6400}),
               y = f.variable("y", {6400});
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.graph.setPerfEstimate(f.vertex(cs, "Sum", 0, {{"in", m.transpose()[3]}, {"sum", s}}), 10);
  f.prog = Sequence({Execute(cs), Copy(x, y)});
  Engine e = f.engine();
  e.run();
  CHECK_EQ(number(stepNamed(e, "cs"), "rearrangedBytes"), 400.0);
  CHECK_EQ(number(stepNamed(e, "cs"), "computeCycles"), 60 + copyLaunch + 100);
  CHECK_EQ(number(stepNamed(e, "x -> y"), "computeCycles"), copyLaunch + 6400 * 4 / 8);
}

TEST(copies_between_tiles) {
  Fixture f;
  const Tensor x = f.spread("x", 4000, 4), y = f.variable("y", {4000}, 4), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 7);
  f.prog = Sequence({Copy(x, y), Copy(one.expand({0}).broadcast(4000, 0), x, "fill")});
  Engine e = f.engine();
  e.run();
  const ProfileValue gather = stepNamed(e, "x -> y"), fill = stepNamed(e, "fill");
  CHECK_EQ(number(gather, "exchangeCycles"), exchangeFixed + 4000);
  CHECK_EQ(number(gather, "bytesExchanged"), 16000.0);
  CHECK_EQ(number(fill, "bytesExchanged"), 16.0); // one word to each of four tiles
  CHECK_EQ(number(fill, "rearrangedBytes"), 16000.0);
}

TEST(host_copies) {
  Fixture f;
  const Tensor x = f.spread("x", 4000, 4);
  f.prog.add(Copy(f.graph.addHostToDeviceFIFO("in", FLOAT, 4000), x));
  Engine e = f.engine();
  std::vector<float> data(4000);
  e.connectStream("in", data.data());
  e.run();
  const ProfileValue step = stepNamed(e, "in -> x");
  CHECK_EQ(number(step, "hostCycles"), 1054.0); // 16000 bytes at 20.2 GB/s and 1.33 GHz
  CHECK_EQ(number(step, "hostBytes"), 16000.0);
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 1000);
}

TEST(memory_of_a_tile) {
  Fixture f;
  const Tensor x = f.variable("x", {10}), far = f.variable("far", {10}, 1), s = f.variable("s", {});
  const Tensor c = f.graph.addConstant(FLOAT, {3}, 1.0f, "c");
  f.graph.setTileMapping(c, 0);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Axpy<float>", 0, {{"x", x}, {"y", far}, {"out", x}, {"a", 1}});
  f.prog = Sequence({Execute(cs), Copy(c[0], s)});
  Engine e = f.engine();
  const ProfileValue profile = e.getProfile();
  const ProfileValue &bytes = profile["memory"]["byCategoryOfMaxTile"];
  CHECK_EQ(number(profile["memory"], "maxTile"), 0.0);
  CHECK_EQ(number(bytes, "variables"), 44.0);
  CHECK_EQ(number(bytes, "constants"), 12.0);
  CHECK_EQ(number(bytes, "vertexState"), 4 + 3 * 8 + 4.0); // code pointer, three spans, one float
  CHECK_EQ(number(bytes, "vertexCode"), 512.0);
  CHECK_EQ(number(bytes, "exchangeCode"), 12.0);
  CHECK_EQ(number(bytes, "temporary"), 40.0);
  CHECK_EQ(number(bytes, "stack"), 3168.0);
  CHECK_EQ(number(bytes, "controlCode"), 700.0);
  CHECK_EQ(profile["memory"]["largestVariablesOfMaxTile"][0]["name"].asString(), std::string("x"));
  CHECK_EQ(profile["memory"]["perTile"].asVector().size(), 8u);
}

TEST(profile_files_and_summary) {
  Fixture f;
  const Tensor x = f.variable("x", {10});
  f.prog.add(Copy(x, x.reverse(0)));
  const std::string folder = "profile_test_folder";
  {
    Engine e = f.engine({{"autoReport.all", "true"}, {"autoReport.directory", folder}});
    e.run();
    CHECK(dace_ipu_sim::profileJson(e).find("\"schema\": 1") != std::string::npos);
    CHECK(dace_ipu_sim::stepCycles(e).at(0).name == "x -> x" && dace_ipu_sim::stepCycles(e).at(0).cycles > 0);
    std::ostringstream text;
    e.printProfileSummary(text, {{"showExecutionSteps", "true"}});
    for (const char *part : {"Target:", "Graph:", "Memory Usage:", "Total cycles", "Copy 'x -> x': 1 times"})
      CHECK(text.str().find(part) != std::string::npos);
    e.resetExecutionProfile();
    CHECK_EQ(e.getProfile()["cycles"]["total"].asDouble(), 0.0);
  }
  std::ifstream file(folder + "/profile.json");
  std::stringstream content;
  content << file.rdbuf();
  CHECK(content.str().find("\"perTile\"") != std::string::npos);
  std::remove((folder + "/profile.json").c_str());
  std::remove(folder.c_str());
}

// Results and costs do not depend on the number of host threads, nor on engines that run at the same time.
TEST(engines_in_parallel) {
  const auto job = [] {
    Fixture f(64);
    const std::size_t n = 64 * 2000;
    const Tensor x = f.spread("x", n, 64), one = f.graph.addConstant(FLOAT, {}, 1.0f);
    f.graph.setTileMapping(one, 0);
    const ComputeSet cs = f.graph.addComputeSet("cs");
    for (unsigned t = 0; t < 64; ++t)
      f.vertex(cs, "AddTo", t, {{"data", x.slice(t * n / 64, (t + 1) * n / 64)}, {"amount", one}});
    f.prog.add(Repeat(20, Execute(cs)));
    Engine e = f.engine();
    write(e, "x", iota(n));
    e.run();
    CHECK_EQ(readFloats(e, "x", n), iota(n, 20));
  };
  std::thread a(job), b(job);
  a.join();
  b.join();
}
