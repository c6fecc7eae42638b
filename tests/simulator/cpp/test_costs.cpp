// Simulated cycles and bytes against sums done by hand.
#include "fixture.hpp"

#include <poplar/extensions/profile.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::program;

namespace {

// Costs of the model for an IPUModel of kind ipu2, see src/poplar/machine/machine.hpp.
constexpr double sync = 83, exchangeFixed = 82, copyLaunch = 72, copyPiece = 12;
constexpr double launch = 37; // of hardware

ProfileValue stepNamed(const Engine &e, const std::string &name) {
  const ProfileValue profile = e.getProfile();
  for (const ProfileValue &step : profile["steps"].asVector())
    if (step["name"].asString() == name)
      return step;
  check::fail(__FILE__, __LINE__, "no step " + name);
  return {};
}

/// A Mk2 as hardware, where pieces that are received cost time of their own.
struct Hardware : Fixture {
  explicit Hardware(unsigned ipus = 1, unsigned tiles = 8, const char *kind = "ipu2")
      : Fixture(Device::createSimulatorDevice(Target::createIPUTarget(ipus, tiles, kind))) {}
};

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

// Cycle counters around a compute set without exchange find its launch and no sync; the IPU Model has a sync instead.
TEST(launch_and_sync_of_compute_sets) {
  const auto stepOn = [](Fixture &&f) {
    const Tensor x = f.variable("x", {2}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
    f.graph.setTileMapping(one, 0);
    f.graph.setTileMapping(x[1], 1);
    const ComputeSet cs = f.graph.addComputeSet("cs");
    f.graph.setPerfEstimate(f.vertex(cs, "AddTo", 0, {{"data", x.slice(0, 1)}, {"amount", one}}), 100);
    f.prog.add(Repeat(5, Execute(cs)));
    Engine e = f.engine();
    e.run();
    return stepNamed(e, "cs");
  };
  const ProfileValue hardware = stepOn(Hardware()), model = stepOn(Fixture());
  CHECK_EQ(number(hardware, "computeCycles"), 5 * (launch + 600));
  CHECK_EQ(number(hardware, "syncCycles"), 0.0);
  CHECK_EQ(number(hardware, "tilesUsed"), 1.0);
  CHECK_EQ(number(model, "computeCycles"), 5 * 600.0);
  CHECK_EQ(number(model, "syncCycles"), 5 * sync);
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
  const VertexRef gather = f.vertex(second, "Gather", 0, {{"in", x.slice(0, 5)}, {"out", s[1]}});
  CHECK_EQ(f.graph.getPerfEstimate(gather).cycles, 50u);
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

// What a program says of one vertex goes before what it says of its type.
TEST(estimates_can_be_asked_for) {
  Fixture f;
  const Tensor x = f.variable("x", {100}), s = f.variable("s", {2});
  const ComputeSet cs = f.graph.addComputeSet("cs");
  const VertexRef a = f.vertex(cs, "Sum", 0, {{"in", x}, {"sum", s[0]}});
  CHECK_THROWS(f.graph.getPerfEstimate(a), missing_perf_estimate, "has no performance estimate");
  f.graph.registerPerfEstimator("Sum", [](const VertexIntrospector &v, const Target &) {
    return VertexPerfEstimate(v.getFieldInfo("in").size(), 3);
  });
  const VertexRef b = f.vertex(cs, "Sum", 0, {{"in", x.slice(0, 40)}, {"sum", s[1]}});
  f.graph.setPerfEstimate(b, 7);
  CHECK_EQ(f.graph.getPerfEstimate(a).cycles, 100u);
  CHECK_EQ(f.graph.getPerfEstimate(a).flops, 3u);
  CHECK_EQ(f.graph.getPerfEstimate(b).cycles, 7u);
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
  Hardware f;
  const Tensor m = f.variable("m", {100, 8}, 1), s = f.variable("s", {}, 2);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Sum", 0, {{"in", m.transpose()[3]}, {"sum", s}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  const ProfileValue step = stepNamed(e, "cs");
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 300 + exchangeFixed + 3);
  CHECK_EQ(number(step, "bytesExchanged"), 404.0);
  CHECK_EQ(number(step, "syncCycles"), 2 * sync);
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
  CHECK_EQ(number(stepNamed(e, "cs"), "computeCycles"), 60 + copyLaunch + 400 / 8 + 99 * copyPiece);
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

// What a copy spreads over many tiles is sent once.
TEST(copies_to_many_tiles) {
  Fixture f;
  const Tensor x = f.variable("x", {1000}, 7), y = f.spread("y", 4000, 4);
  f.prog.add(Copy(x.expand({0}).broadcast(4, 0).flatten(), y, "broadcast"));
  Engine e = f.engine();
  write(e, "x", iota(1000));
  e.run();
  const ProfileValue step = stepNamed(e, "broadcast");
  CHECK_EQ(number(step, "bytesExchanged"), 16000.0);
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 1000);
  CHECK_EQ(readFloats(e, "y", 4000)[3999], 999.0f);
}

TEST(host_copies) {
  Hardware f;
  const Tensor x = f.spread("x", 4000, 4);
  f.prog.add(Copy(f.graph.addHostToDeviceFIFO("in", FLOAT, 4000), x));
  Engine e = f.engine();
  std::vector<float> data(4000);
  e.connectStream("in", data.data());
  e.run();
  const ProfileValue step = stepNamed(e, "in -> x");
  CHECK_EQ(number(step, "hostCycles"), 1054.0); // 16000 bytes at 20.2 GB/s and 1.33 GHz
  CHECK_EQ(number(step, "hostBytes"), 16000.0);
  CHECK_EQ(number(step, "syncCycles"), 3 * sync);                          // begin, middle, end
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 1000 + 4 * 18); // 4000 bytes are four packets
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
  CHECK_EQ(number(bytes, "vertexInstanceState"), 4 + 3 * 8 + 4.0); // code pointer, three spans, one float
  CHECK_EQ(number(bytes, "vertexCode"), 512 + 140.0);              // the vertex, and that of the copy
  CHECK_EQ(number(bytes, "copyDescriptor"), 8.0);
  CHECK_EQ(number(bytes, "internalExchangeCode"), 12.0);
  CHECK_EQ(number(bytes, "temporary"), 40.0);
  CHECK_EQ(number(bytes, "stack"), 3168.0);
  CHECK_EQ(number(bytes, "controlCode"), 500 + 20 * 3.0);
  double sum = 0;
  for (const auto &category : bytes.asMap())
    sum += category.second.asDouble();
  CHECK_EQ(profile["memory"]["perTileExcludingGaps"][0].asDouble(), sum);
  CHECK(profile["memory"]["perTile"][0].asDouble() >= sum);
  CHECK_EQ(profile["memory"]["largestVariablesOfMaxTile"][0]["name"].asString(), std::string("x"));
  CHECK_EQ(profile["memory"]["perTile"].asVector().size(), 8u);
}

// Tiles of a pair that receive the same have two buses for it, if the machine is no model of an ideal exchange.
TEST(pairs_of_tiles_share_their_buses) {
  for (const unsigned readers : {1u, 2u}) {
    Hardware f;
    const Tensor x = f.variable("x", {1000}, 7);
    const ComputeSet cs = f.graph.addComputeSet("cs");
    for (unsigned t = 0; t < readers; ++t)
      f.vertex(cs, "Sum", t, {{"in", x}, {"sum", f.variable("s" + std::to_string(t), {}, t)}});
    f.prog.add(Execute(cs));
    Engine e = f.engine();
    e.run();
    // The sender needs 1000 cycles for 4000 bytes in any case.
    CHECK_EQ(number(stepNamed(e, "cs"), "exchangeCycles"), exchangeFixed + 1000);
  }
  Hardware f;
  const Tensor x = f.variable("x", {2000}, 7);
  f.graph.setTileMapping(x.slice(0, 1000), 6);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  for (unsigned t = 0; t < 3; ++t)
    f.vertex(cs, "Sum", t, {{"in", t < 2 ? x : x.slice(0, 10)}, {"sum", f.variable("s" + std::to_string(t), {}, t)}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  CHECK_EQ(number(stepNamed(e, "cs"), "exchangeCycles"), exchangeFixed + 1000); // 8000 bytes at 8 a cycle
}

// Of an edge that mixes local rows with received rows, what is local is copied before the exchange.
TEST(local_rows_of_mixed_edges_are_copied) {
  Hardware f;
  const Tensor m = f.variable("m", {20, 10}), s = f.variable("s", {});
  for (unsigned row = 0; row < 20; ++row)
    f.graph.setTileMapping(m[row].slice(5, 10), 1);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.graph.setPerfEstimate(f.vertex(cs, "Sum", 0, {{"in", m.slice({0, 1}, {20, 9}).flatten()}, {"sum", s}}), 10);
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  const ProfileValue step = stepNamed(e, "cs");
  const double copied = copyLaunch + 20 * 4 * 4 / 8 + 19 * copyPiece;
  CHECK_EQ(number(step, "preArrangeCycles"), copied);
  CHECK_EQ(number(step, "postArrangeCycles"), 0.0);
  CHECK_EQ(number(step, "rearrangeCycles"), copied);
  CHECK_EQ(number(step, "computeCycles"), launch + 60 + copied);
  CHECK_EQ(number(step, "exchangeCycles"), exchangeFixed + 80);
}

// Short pieces of whole words are copied word by word, long ones in a loop each.
TEST(pieces_of_words) {
  for (const unsigned columns : {2u, 4u, 32u}) {
    Hardware f;
    const Tensor m = f.variable("m", {20, 40}), s = f.variable("s", {});
    const ComputeSet cs = f.graph.addComputeSet("cs");
    const Tensor in = m.slice({0, 2}, {20, 2 + columns}).flatten();
    f.graph.setPerfEstimate(f.vertex(cs, "Sum", 0, {{"in", in}, {"sum", s}}), 10);
    f.prog.add(Execute(cs));
    Engine e = f.engine();
    e.run();
    const double piece = columns == 2 ? 3 : columns == 4 ? 5 : copyPiece;
    CHECK_EQ(number(stepNamed(e, "cs"), "preArrangeCycles"), copyLaunch + 20 * columns * 4 / 8 + 19 * piece);
  }
}

// What crosses between IPUs takes the links' time on top, and a sync of all IPUs.
TEST(exchange_between_ipus) {
  Hardware f(4, 4);
  const Tensor x = f.variable("x", {1000}, 0), near = f.variable("near", {1000}, 1), far = f.variable("far", {1000}, 8);
  f.prog = Sequence({Copy(x, near), Copy(x, far)});
  Engine e = f.engine();
  e.run();
  const ProfileValue inside = stepNamed(e, "x -> near"), across = stepNamed(e, "x -> far");
  CHECK_EQ(number(inside, "globalExchangeCycles"), 0.0);
  CHECK_EQ(number(inside, "syncCycles"), sync);
  CHECK_EQ(number(across, "bytesBetweenIPUs"), 4000.0);
  // 1.25 us, then 4000 bytes on two links of 0.85 * 128 Gi bit/s: 0 to 2 is one step along the ladder.
  CHECK_EQ(number(across, "globalExchangeCycles"),
           std::ceil((1.25e-6 + 32000 / (2 * 0.85 * 128 * 1073741824.0)) * 1.33e9));
  CHECK_EQ(number(across, "exchangeCycles"), exchangeFixed + 1000 + number(across, "globalExchangeCycles"));
  CHECK_EQ(number(across, "syncCycles"), 600.0);
}

// Any number of IPUs has a route from each to each.
TEST(links_of_any_number_of_ipus) {
  for (const unsigned ipus : {2u, 3u, 5u, 16u}) {
    Hardware f(ipus, 2);
    const Tensor x = f.spread("x", 100 * ipus, 2 * ipus), y = f.variable("y", {100 * ipus});
    f.prog = Sequence({Copy(x, y)});
    for (unsigned t = 0; t < 2 * ipus; ++t)
      f.graph.setTileMapping(y.slice(50 * t, 50 * (t + 1)), 2 * ipus - 1 - t);
    Engine e = f.engine();
    write(e, "x", iota(100 * ipus));
    e.run();
    CHECK(number(stepNamed(e, "x -> y"), "globalExchangeCycles") > 1.25e-6 * 1.33e9);
    CHECK_EQ(readFloats(e, "y", 100 * ipus), iota(100 * ipus));
  }
}

TEST(knobs_of_the_model) {
  const auto costOf = [](const IPUModel &model) {
    Fixture f(model.createDevice());
    const Tensor x = f.variable("x", {1000}, 0), y = f.variable("y", {1000}, 8);
    f.prog.add(Copy(x, y));
    Engine e = f.engine();
    e.run();
    return stepNamed(e, "x -> y");
  };
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 8;
  const double usual = number(costOf(model), "globalExchangeCycles");
  model.globalExchangeConstraints = {GlobalExchangeConstraint(32e6, {GlobalExchangeFlow(0, 1)})}; // 1 ms
  model.globalSyncCycles = 7;
  CHECK_EQ(number(costOf(model), "globalExchangeCycles"), std::ceil((1.25e-6 + 1e-3) * 1.33e9));
  CHECK_EQ(number(costOf(model), "syncCycles"), 7.0);
  model.globalExchangeConstraints = {GlobalExchangeConstraint(32e6, {GlobalExchangeFlow(1, 0)})};
  CHECK(number(costOf(model), "globalExchangeCycles") < usual); // this flow is not limited any more
  model.globalExchangeConstraints = {GlobalExchangeConstraint(1, {GlobalExchangeFlow(0, 2)})};
  CHECK_THROWS(model.createDevice(), invalid_machine_model, "names IPU 2 of 2");

  IPUModel one;
  one.tilesPerIPU = 16;
  CHECK_EQ(number(costOf(one), "syncCycles"), sync);
  one.minIPUSyncDelay = 0;
  one.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  CHECK_EQ(number(costOf(one), "syncCycles"), 0.0);
  one.exchangeBytesPerCycle = 8;
  CHECK_EQ(number(costOf(one), "exchangeCycles"), exchangeFixed + 500);
  one.supportsSuperTileSendReceive = true;
  CHECK_EQ(number(costOf(one), "exchangeCycles"), exchangeFixed + 250);
}

// Variables that are never needed at the same time share memory; what must survive a run does not.
TEST(live_ranges) {
  Fixture f;
  std::vector<Tensor> t;
  for (unsigned i = 0; i < 4; ++i) {
    t.push_back(f.graph.addVariable(FLOAT, {10000}, "t" + std::to_string(i)));
    f.graph.setTileMapping(t[i], 0);
  }
  const Tensor x = f.variable("x", {10000});
  f.prog = Sequence({Copy(x, t[0]), Copy(t[0], t[1]), Repeat(3, Sequence({Copy(t[1], t[2]), Copy(t[2], x)})),
                     Copy(x, t[3]), Copy(t[3], x)});
  Engine e = f.engine();
  const ProfileValue profile = e.getProfile();
  const auto live = [&](const std::string &name) {
    for (const ProfileValue &v : profile["variables"].asVector())
      if (v["name"].asString() == name)
        return v["alwaysLive"].asBool()
                   ? std::string("always")
                   : std::to_string(v["live"][0].asInt()) + "-" + std::to_string(v["live"][1].asInt());
    return std::string("missing");
  };
  CHECK_EQ(live("x"), std::string("always"));
  CHECK_EQ(live("t0"), std::string("0-1"));
  CHECK_EQ(live("t1"), std::string("1-3")); // the loop needs it again
  CHECK_EQ(live("t2"), std::string("2-3"));
  CHECK_EQ(live("t3"), std::string("4-5"));
  const ProfileValue &memory = profile["memory"];
  CHECK_EQ(memory["perTileNotAlwaysLive"][0].asDouble(), 80000.0);
  CHECK_EQ(memory["byCategoryOfMaxTile"]["variables"].asDouble(), 40000 + 80000.0);
  CHECK_EQ(memory["livenessProgramSteps"][0]["notAlwaysLiveBytes"].asDouble(), 40000.0);
  CHECK_EQ(memory["livenessProgramSteps"][2]["notAlwaysLiveBytes"].asDouble(), 80000.0);
}

// Conditional writes, reads of what was only partly written, and uses in several programs keep a variable alive.
TEST(live_ranges_err_on_the_side_of_longer) {
  Fixture f;
  const Tensor x = f.variable("x", {10}), flag = f.variable("flag", {}, 0, INT);
  const auto plain = [&](const char *name) {
    const Tensor t = f.graph.addVariable(FLOAT, {10}, name);
    f.graph.setTileMapping(t, 0);
    return t;
  };
  const Tensor maybe = plain("maybe"), part = plain("part"), both = plain("both"), halves = plain("halves");
  f.prog = Sequence({If(flag, Copy(x, maybe), Sequence()), Copy(maybe, x), Copy(x.slice(0, 5), part.slice(0, 5)),
                     Copy(part, x), Copy(x, both), Copy(x.slice(0, 5), halves.slice(0, 5)),
                     Copy(x.slice(5, 10), halves.slice(5, 10)), Copy(halves, x)});
  Engine e(f.graph, {f.prog, Copy(both, x)});
  const ProfileValue profile = e.getProfile();
  for (const ProfileValue &v : profile["variables"].asVector())
    CHECK_EQ(v["alwaysLive"].asBool(), v["name"].asString() != "halves");
}

// Interleaved memory begins at 208 KiB of a Mk2, and what lies below it unused is a gap.
TEST(placement_in_regions) {
  Fixture f;
  const Tensor fast = f.variable("fast", {1000}), s = f.variable("s", {}), big = f.variable("big", {100000}, 1);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "InterleavedSum", 0, {{"in", fast}, {"sum", s}});
  f.prog = Sequence({Execute(cs), Copy(big, big.reverse(0))});
  Engine e = f.engine();
  const ProfileValue profile = e.getProfile();
  const ProfileValue &memory = profile["memory"];
  const auto of = [&](const char *list, std::size_t tile) { return memory[list][tile].asDouble(); };
  CHECK_EQ(of("perTile", 0), 212992 + 4000.0);
  CHECK_EQ(of("perTileInterleaved", 0), 4000.0);
  CHECK_EQ(of("perTileNonInterleaved", 1), 212992.0); // filled up; the rest goes on in region 1
  CHECK(of("perTileInterleaved", 1) > 400000 - 212992.0 + 400000);
  CHECK_EQ(of("perTileOverflowed", 1), of("perTile", 1) - (638976 - 1104));
  CHECK_EQ(number(memory, "tilesOutOfMemory"), 1.0); // an IPUModel goes on
}

TEST(sizes_of_stacks) {
  Fixture f;
  f.prog.add(Copy(f.variable("x", {10}), f.variable("y", {10})));
  Engine e = f.engine({{"target.workerStackSizeInBytes", "1000"}, {"target.supervisorStackSizeInBytes", "24"}});
  const ProfileValue profile = e.getProfile();
  CHECK_EQ(number(profile["memory"]["byCategoryOfMaxTile"], "stack"), 6024.0);
  CHECK_THROWS(f.engine({{"target.workerStackSizeInBytes", "many"}}), invalid_option,
               "must be a number, not 'many'");
}

TEST(table_of_targets) {
  const auto check = [](const char *name, unsigned tiles, unsigned bytes, double clock, unsigned element) {
    const Target t = Target::createIPUTarget(3, name);
    CHECK_EQ(t.getNumIPUs(), 3u);
    CHECK_EQ(t.getNumTiles(), 3 * tiles);
    CHECK_EQ(t.getBytesPerTile(), bytes);
    CHECK_EQ(t.getTileClockFrequency(), clock);
    CHECK_EQ(t.getInterleavedMemoryElementIndex(), element);
  };
  check("ipu1", 1216, 262144, 1.6e9, 8);
  check("ipu2", 1472, 638976, 1.33e9, 13);
  check("bow", 1472, 638976, 1.85e9, 13);
  check("ipu21", 1472, 638976, 1.5e9, 13);
  CHECK_EQ(Target::createIPUTarget(2, 100, "ipu2").getNumTiles(), 200u);
  CHECK_EQ(Target::createIPUTarget("IPU-POD16").getNumIPUs(), 16u);
  CHECK_THROWS(Target::createIPUTarget(1, "ipu3"), invalid_machine_model, "known are ipu1, ipu2, bow, ipu21");
}

TEST(profile_of_programs_and_exchanges) {
  Fixture f;
  const Tensor x = f.spread("x", 4000, 4), y = f.variable("y", {4000}, 4);
  f.prog = Sequence({Repeat(2, Copy(x, y, "gather"))});
  Engine e = f.engine();
  e.run();
  e.run();
  const ProfileValue profile = e.getProfile();
  const ProfileValue gather = stepNamed(e, "gather");
  const ProfileValue &exchange = gather["exchanges"][0];
  CHECK_EQ(exchange["when"].asString(), std::string("copy"));
  CHECK_EQ(number(exchange, "busiestTile"), 4.0);
  CHECK_EQ(number(exchange, "busiestReceived"), 16000.0);
  CHECK_EQ(number(exchange, "fragments"), 4.0);
  CHECK_EQ(profile["runRecords"].asVector().size(), 2u);
  CHECK_EQ(number(profile["runRecords"][0], "cycles") * 2, number(profile["cycles"], "total"));
  const ProfileValue &programs = profile["programs"];
  const ProfileValue &root = programs[std::size_t(profile["entryPrograms"][0].asInt())];
  CHECK_EQ(root["kind"].asString(), std::string("Sequence"));
  const ProfileValue &repeat = programs[std::size_t(root["children"][0].asInt())];
  CHECK_EQ(number(repeat, "count"), 2.0);
  CHECK_EQ(number(programs[std::size_t(repeat["children"][0].asInt())], "step"), 0.0);
}

TEST(profiles_list_pairs_of_tiles_if_asked) {
  Fixture f;
  const Tensor x = f.spread("x", 4000, 4), y = f.variable("y", {4000}, 4), sum = f.spread("sum", 2, 2);
  f.prog.add(Copy(x, y, "gather"));
  const ComputeSet cs = f.graph.addComputeSet("sums");
  for (unsigned tile = 0; tile < 2; ++tile)
    f.vertex(cs, "Sum", tile, {{"in", x.slice(500, 2500)}, {"sum", sum[1 - tile]}});
  f.prog.add(Execute(cs));
  const auto listOf = [&](const std::string &step, std::size_t exchange, const OptionFlags &options) {
    std::ostringstream text;
    Engine e = f.engine(options);
    const ProfileValue profile = stepNamed(e, step);
    const ProfileValue &value = profile["exchanges"][exchange];
    if (value.getOrNull("numPairs").type() != ProfileValue::Type::NUL)
      serializeToJSON(text << number(value, "numPairs") << ' ', value["largestPairs"]);
    return text.str();
  };
  CHECK_EQ(listOf("gather", 0, {}), "");
  CHECK_EQ(listOf("gather", 0, {{"profiler.exchangePairs", "2"}}), "4 [[0,4,4000],[1,4,4000]]");
  // Both tiles need [500, 2500), of which tile 0 has 500 and tile 1 has 1000 floats.
  CHECK_EQ(listOf("sums", 0, {{"profiler.exchangePairs", "9"}}),
           "4 [[1,0,4000],[0,1,2000],[2,0,2000],[2,1,2000]]");
  CHECK_EQ(listOf("sums", 1, {{"profiler.exchangePairs", "9"}}), "2 [[0,1,4],[1,0,4]]");
}

TEST(profile_files_and_summary) {
  Fixture f;
  const Tensor x = f.variable("x", {10});
  f.prog.add(Copy(x, x.reverse(0)));
  const std::string folder = "profile_test_folder";
  {
    Engine e = f.engine({{"autoReport.outputExecutionProfile", "true"}, {"autoReport.directory", folder}});
    e.run();
    CHECK(dace_ipu_sim::profileJson(e).find("\"schema\": 2") != std::string::npos);
    CHECK(dace_ipu_sim::stepCycles(e).at(0).name == "x -> x" && dace_ipu_sim::stepCycles(e).at(0).cycles > 0);
    std::ostringstream text;
    e.printProfileSummary(text, {{"showExecutionSteps", "true"}});
    std::size_t at = 0; // the order in which Poplar prints them
    for (const char *part : {"Target:", "Memory Per-Tile:        624.0 kB",
                             "Graph:", "Number of vertices:", "Memory Usage:", "Including Gaps:", "Non-interleaved:",
                             "Variables:", "Vertex Code:", "By Tile (Excluding Gaps):", "0 tile(s) out of memory",
                             "Execution:", "Total cycles:", "Tile average compute cycles (including idle threads):",
                             "Tile average IPU exchange cycles:", "Tile average sync cycles:",
                             "of these rearranging copies", "Cycles by vertex type:", "Copy 'x -> x': 1 times"}) {
      CHECK(text.str().find(part, at) != std::string::npos);
      at = std::max(at, text.str().find(part, at));
    }
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
