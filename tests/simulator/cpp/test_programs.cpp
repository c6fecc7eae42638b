// End to end: graphs built by hand, run, and their results.
#include "fixture.hpp"

#include <poplar/CycleCount.hpp>

using namespace poplar;
using namespace poplar::program;

TEST(axpy_over_tiles_with_streams) {
  Fixture f;
  const std::size_t n = 1000;
  const Tensor x = f.spread("x", n, 8), y = f.spread("y", n, 8), out = f.spread("out", n, 8);
  const ComputeSet cs = f.graph.addComputeSet("axpy");
  for (unsigned tile = 0; tile < 8; ++tile) {
    const std::size_t b = tile * n / 8, e = (tile + 1) * n / 8;
    f.vertex(cs, "Axpy<float>", tile, {{"x", x.slice(b, e)}, {"y", y.slice(b, e)}, {"out", out.slice(b, e)}, {"a", 3}});
  }
  const DataStream in = f.graph.addHostToDeviceFIFO("in", FLOAT, n);
  const DataStream back = f.graph.addDeviceToHostFIFO("back", FLOAT, n);
  f.prog = Sequence({Copy(in, x), Copy(x, y), Execute(cs), Copy(out, back)});
  Engine e = f.engine();
  std::vector<float> source = iota(n), result(n);
  e.connectStream("in", source.data());
  e.connectStream("back", result.data(), result.data() + n);
  for (int run = 0; run < 2; ++run) {
    e.run();
    for (std::size_t i = 0; i < n; ++i)
      CHECK(result[i] == 4 * source[i]);
    source = iota(n, 7);
    std::vector<float> other(n);
    e.connectStream("in", source.data());
  }
}

TEST(streams_are_circular) {
  Fixture f;
  const Tensor v = f.variable("v", {10}, 0, INT);
  const DataStream in = f.graph.addHostToDeviceFIFO("in", INT, 10);
  f.prog.add(Copy(in, v));
  Engine e = f.engine();
  std::vector<int> data(30), seen(10);
  for (int i = 0; i < 30; ++i)
    data[i] = i;
  e.connectStream("in", data.data(), data.data() + 30);
  for (int run = 0; run < 4; ++run) {
    e.run();
    e.readTensor("v", seen.data(), seen.data() + 10);
    CHECK_EQ(seen[0], run % 3 * 10);
  }
}

TEST(vertex_fields_persist_until_load) {
  Fixture f;
  const Tensor counter = f.variable("counter", {}, 0, INT), more = f.variable("more", {}, 0, BOOL);
  const ComputeSet cs = f.graph.addComputeSet("count");
  f.vertex(cs, "Count", 0, {{"counter", counter}, {"more", more}, {"calls", 0}, {"limit", 5}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  int n = 0;
  e.run();
  e.run();
  e.readTensor("counter", &n, &n + 1);
  CHECK_EQ(n, 2);
  e.load(f.device);
  e.readTensor("counter", &n, &n + 1);
  CHECK_EQ(n, 0);
  e.run();
  e.readTensor("counter", &n, &n + 1);
  CHECK_EQ(n, 1);
}

TEST(repeat_while_true_and_execute_result) {
  Fixture f;
  const Tensor counter = f.variable("counter", {}, 0, INT), more = f.variable("more", {}, 1, BOOL);
  const Tensor x = f.variable("x", {3});
  const Tensor one = f.graph.addConstant(FLOAT, {}, 1);
  f.graph.setTileMapping(one, 3);
  const ComputeSet cs = f.graph.addComputeSet("count"), add = f.graph.addComputeSet("add");
  f.vertex(cs, "Count", 0,
           {{"counter", counter}, {"more", f.variable("unused", {}, 0, BOOL)}, {"calls", 0}, {"limit", 5}});
  f.vertex(add, "AddTo", 2, {{"data", x}, {"amount", one}});
  f.prog.add(RepeatWhileTrue(Execute(cs, more), more, Sequence({Execute(add)})));
  f.prog.add(Repeat(10, Execute(add)));
  Engine e = f.engine();
  e.run();
  CHECK_EQ(readFloats(e, "x", 3), (std::vector<float>{14, 14, 14}));
}

TEST(if_switch_and_call) {
  Fixture f;
  const Tensor x = f.variable("x", {}), flag = f.variable("flag", {}, 0, UNSIGNED_INT);
  const ComputeSet by1 = f.graph.addComputeSet(), by10 = f.graph.addComputeSet(), by100 = f.graph.addComputeSet();
  float amount = 1;
  for (const ComputeSet cs : {by1, by10, by100}) {
    const VertexRef v = f.graph.addVertex(cs, "AddTo");
    f.graph.setTileMapping(v, 0);
    f.graph.connect(v["data"], x.reshape({1}));
    f.graph.connect(v["amount"], amount);
    amount *= 10;
  }
  const Function add100 = f.graph.addFunction(Execute(by100));
  f.prog.add(If(flag, Execute(by1), Execute(by10)));
  f.prog.add(Switch(flag, {{0, Execute(by1)}, {7, Call(add100)}}, Execute(by10)));
  Engine e = f.engine();
  const auto runWith = [&](unsigned value) {
    write(e, "x", {0});
    e.writeTensor("flag", &value, &value + 1);
    e.run();
    return readFloats(e, "x", 1)[0];
  };
  CHECK_EQ(runWith(0), 11.0f);
  CHECK_EQ(runWith(7), 101.0f);
  CHECK_EQ(runWith(3), 11.0f);
}

TEST(lists_of_rows_and_stored_vectors) {
  Fixture f;
  const Tensor m = f.variable("m", {4, 6});
  const ComputeSet cs = f.graph.addComputeSet("rows");
  const VertexRef v = f.graph.addVertex(cs, "ScaleRows");
  f.graph.setTileMapping(v, 5);
  f.graph.connect(v["rows"], {m[0], m[2].slice(1, 3), m.slice({0, 5}, {4, 6}).flatten().slice(1, 2)});
  f.graph.setInitialValue(v["table"], ArrayRef<int>({2, 3}));
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  write(e, "m", iota(24));
  e.run();
  std::vector<float> expected = iota(24);
  for (int i = 0; i < 6; ++i)
    expected[i] *= 2;
  expected[13] *= 3;
  expected[14] *= 3;
  expected[11] *= 2;
  CHECK_EQ(readFloats(e, "m", 24), expected);
}

TEST(columns_are_gathered_and_scattered) {
  Fixture f;
  const Tensor m = f.variable("m", {4, 3}), sums = f.variable("sums", {3});
  const Tensor amount = f.graph.addConstant<float>(FLOAT, {}, 100.0f);
  f.graph.setTileMapping(amount, 0);
  const ComputeSet sum = f.graph.addComputeSet("sum"), add = f.graph.addComputeSet("add");
  for (unsigned c = 0; c < 3; ++c)
    f.vertex(sum, "Sum", c, {{"in", m.transpose()[c]}, {"sum", sums[c]}});
  f.vertex(add, "AddTo", 1, {{"data", m.transpose()[1].reverse(0)}, {"amount", amount}});
  f.prog = Sequence(Execute(sum), Execute(add));
  Engine e = f.engine();
  write(e, "m", iota(12));
  e.run();
  CHECK_EQ(readFloats(e, "sums", 3), (std::vector<float>{18, 22, 26}));
  CHECK_EQ(readFloats(e, "m", 12), (std::vector<float>{0, 101, 2, 3, 104, 5, 6, 107, 8, 9, 110, 11}));
}

TEST(scalar_edge_lists) {
  Fixture f;
  const Tensor x = f.variable("x", {4}), out = f.variable("out", {2});
  const ComputeSet cs = f.graph.addComputeSet("gather");
  f.vertex(cs, "Gather", 0, {{"in", x}, {"out", out[0]}});
  const VertexRef v = f.vertex(cs, "Gather", 0, {{"out", out[1]}});
  f.graph.connect(v["in"][0], x[3]);
  f.graph.connect(v["in"][1], x[3]);
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  write(e, "x", iota(4, 1));
  e.run();
  CHECK_EQ(readFloats(e, "out", 2), (std::vector<float>{10, 8}));
}

// Every vertex of a compute set sees remote data as it was before the compute set.
TEST(reads_of_other_tiles_see_the_state_before) {
  Fixture f;
  const Tensor x = f.spread("x", 9, 3), one = f.graph.addConstant(FLOAT, {}, 1.0f), y = f.variable("y", {});
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("shift");
  f.vertex(cs, "Shift", 0, {{"in", x.slice(3, 6)}, {"out", x.slice(0, 3)}});
  f.vertex(cs, "Shift", 1, {{"in", x.slice(6, 9)}, {"out", x.slice(3, 6)}});
  f.vertex(cs, "AddTo", 2, {{"data", x.slice(6, 9)}, {"amount", one}});
  f.vertex(cs, "Sum", 3, {{"in", x}, {"sum", y}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  write(e, "x", iota(9));
  e.run();
  CHECK_EQ(readFloats(e, "x", 9), (std::vector<float>{3, 4, 5, 6, 7, 8, 7, 8, 9}));
  CHECK_EQ(readFloats(e, "y", 1)[0], 36.0f);
}

// On one tile, vertices work on the same memory.
TEST(same_tile_edges_alias) {
  Fixture f;
  const Tensor x = f.variable("x", {4}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("twice");
  f.vertex(cs, "AddTo", 0, {{"data", x}, {"amount", one}});
  f.vertex(cs, "AddTo", 0, {{"data", x}, {"amount", one}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  e.run();
  CHECK_EQ(readFloats(e, "x", 4), std::vector<float>(4, 2.0f));
}

TEST(aligned_edges_are_aligned) {
  Fixture f;
  const Tensor x = f.variable("x", {9}), y = f.variable("y", {9});
  const ComputeSet cs = f.graph.addComputeSet("aligned");
  f.vertex(cs, "AlignedShift", 0, {{"in", x.slice(1, 9)}, {"out", y.slice(0, 8)}});
  f.prog.add(Execute(cs));
  Engine e = f.engine();
  write(e, "x", iota(9));
  e.run();
  CHECK_EQ(readFloats(e, "y", 9), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 0}));
}

TEST(copy_within_a_tensor_reads_first) {
  Fixture f;
  const Tensor x = f.variable("x", {8});
  f.prog.add(Copy(x.slice(0, 7), x.slice(1, 8)));
  f.prog.add(Copy(x.reverse(0), x));
  Engine e = f.engine();
  write(e, "x", iota(8));
  e.run();
  CHECK_EQ(readFloats(e, "x", 8), (std::vector<float>{6, 5, 4, 3, 2, 1, 0, 0}));
}

TEST(initial_values_and_half_constants) {
  Fixture f;
  const Tensor x = f.variable("x", {3}), flag = f.variable("flag", {2}, 0, BOOL), h = f.variable("h", {2}, 0, HALF);
  f.graph.setInitialValue(x, 2);
  f.graph.setInitialValue(x.slice(1, 3), {5.0, 6.0});
  f.graph.setInitialValue(flag, ArrayRef<int>({0, 4}));
  const Tensor c = f.graph.addConstant<float>(HALF, {2}, {1.5f, 65504.0f});
  f.graph.setTileMapping(c, 1);
  f.prog.add(Copy(c, h));
  Engine e = f.engine();
  e.run();
  CHECK_EQ(readFloats(e, "x", 3), (std::vector<float>{2, 5, 6}));
  unsigned char flags[2];
  e.readTensor("flag", flags, flags + 2);
  CHECK(flags[0] == 0 && flags[1] == 1);
  std::uint16_t halves[2];
  e.readTensor("h", halves, halves + 2);
  CHECK(halves[0] == 0x3e00 && halves[1] == 0x7bff);
}

TEST(callbacks_and_host_functions) {
  Fixture f;
  const Tensor x = f.variable("x", {3}), y = f.variable("y", {3});
  const DataStream in = f.graph.addHostToDeviceFIFO("in", FLOAT, 3);
  const DataStream out = f.graph.addDeviceToHostFIFO("out", FLOAT, 3);
  const HostFunction twice = f.graph.addHostFunction("twice", {{FLOAT, 3}}, {{FLOAT, 3}});
  f.prog = Sequence({Copy(in, x), Call(twice, {x}, {y}), Copy(y, out)});
  Engine e = f.engine();
  float next = 1;
  std::vector<float> seen;
  e.connectStreamToCallback("in", [&](void *p) {
    for (int i = 0; i < 3; ++i)
      static_cast<float *>(p)[i] = next++;
  });
  e.connectStreamToCallback("out", [&](void *p) { seen.assign(static_cast<float *>(p), static_cast<float *>(p) + 3); });
  e.connectHostFunction("twice", 0, [](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
    for (int i = 0; i < 3; ++i)
      static_cast<float *>(outputs[0])[i] = 2 * static_cast<const float *>(inputs[0])[i];
  });
  e.run();
  e.run();
  CHECK_EQ(seen, (std::vector<float>{8, 10, 12}));
}

TEST(remote_buffers) {
  Fixture f;
  const Tensor x = f.variable("x", {2, 3}), which = f.variable("which", {2}, 0, UNSIGNED_INT);
  const RemoteBuffer buffer = f.graph.addRemoteBuffer("buffer", FLOAT, 3, 4);
  f.graph.setInitialValue(which, {3, 1});
  f.prog = Sequence({Copy(buffer, x, which), Copy(x.slice(0, 1), buffer, which.slice(1, 2))});
  Engine e = f.engine();
  for (unsigned i = 0; i < 4; ++i) {
    const std::vector<float> block = iota(3, 10.0f * static_cast<float>(i));
    e.copyToRemoteBuffer(block.data(), "buffer", i);
  }
  e.run();
  CHECK_EQ(readFloats(e, "x", 6), (std::vector<float>{30, 31, 32, 10, 11, 12}));
  std::vector<float> block(3);
  e.copyFromRemoteBuffer("buffer", block.data(), 1);
  CHECK_EQ(block, iota(3, 30));
  CHECK_THROWS(e.copyFromRemoteBuffer("buffer", block.data(), 4), index_error, "repeat 4 of 4");
}

TEST(cycle_counts_are_positive_and_grow) {
  Fixture f;
  const Tensor x = f.variable("x", {4}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("add");
  const VertexRef v = f.vertex(cs, "AddTo", 0, {{"data", x}, {"amount", one}});
  f.graph.setPerfEstimate(v, 1000);
  Sequence empty, once({Execute(cs)}), many({Repeat(10, Execute(cs))});
  const Tensor counts[] = {cycleCount(f.graph, empty, 0), cycleCount(f.graph, once, 1), cycleCount(f.graph, many, 2)};
  unsigned i = 0;
  for (const Tensor &t : counts)
    f.graph.createHostRead("count" + std::to_string(i++), t);
  f.prog = Sequence({empty, once, many});
  Engine e = f.engine();
  e.run();
  std::uint64_t cycles[3];
  for (i = 0; i < 3; ++i)
    e.readTensor("count" + std::to_string(i), &cycles[i], &cycles[i] + 1);
  CHECK_EQ(cycles[0], 45u);
  CHECK_EQ(cycles[1], 45u + 6000 + 83); // six contexts, one of them busy; one sync
  CHECK_EQ(cycles[2], 45u + 10 * (6000 + 83));
}

TEST(sequences_are_snapshots) {
  Fixture f;
  const Tensor x = f.variable("x", {2}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("add");
  f.vertex(cs, "AddTo", 0, {{"data", x}, {"amount", one}});
  Sequence inner;
  inner.add(Execute(cs));
  f.prog.add(inner);
  inner.add(Execute(cs));
  f.prog.add(inner);
  Engine e = f.engine();
  e.run();
  CHECK_EQ(readFloats(e, "x", 2), std::vector<float>(2, 3.0f));
}

TEST(print_tensor) {
  Fixture f;
  const Tensor x = f.variable("x", {2, 2}), n = f.variable("n", {3}, 0, INT);
  f.graph.setInitialValue(x, {1.0f, 1.5f, 2.0f, -2.5f});
  f.graph.setInitialValue(n, {1, 2, 3});
  f.prog = Sequence({PrintTensor("x", x[0]), PrintTensor("n", n), PrintTensor("m", x)});
  Engine e = f.engine();
  std::ostringstream text;
  e.setPrintTensorStream(text);
  e.run();
  CHECK_EQ(text.str(),
           "x: [1.0000000 1.5000000]\nn: [1 2 3]\nm: [\n  [1.0000000 1.5000000]\n  [2.0000000 -2.5000000]\n]\n");
}

TEST(executables_run_several_times) {
  Fixture f;
  const Tensor x = f.variable("x", {2}), one = f.graph.addConstant(FLOAT, {}, 1.0f);
  f.graph.setTileMapping(one, 0);
  const ComputeSet cs = f.graph.addComputeSet("add");
  f.vertex(cs, "AddTo", 0, {{"data", x}, {"amount", one}});
  f.prog.add(Execute(cs));
  Executable exe = compileGraph(std::move(f.graph), {f.prog});
  Engine a(exe), b(std::move(exe));
  a.load(f.device);
  b.load(f.device);
  a.run();
  a.run();
  b.run();
  CHECK_EQ(readFloats(a, "x", 2), std::vector<float>(2, 2.0f));
  CHECK_EQ(readFloats(b, "x", 2), std::vector<float>(2, 1.0f));
}

TEST(empty_tensors_are_fine) {
  Fixture f;
  const Tensor x = f.variable("x", {0}), s = f.variable("s", {});
  const ComputeSet cs = f.graph.addComputeSet("sum");
  f.vertex(cs, "Sum", 0, {{"in", x}, {"sum", s}});
  f.prog = Sequence({Copy(x, x.reverse(0)), Execute(cs)});
  Engine e = f.engine();
  write(e, "s", {5});
  e.run();
  CHECK_EQ(readFloats(e, "s", 1)[0], 0.0f);
}
