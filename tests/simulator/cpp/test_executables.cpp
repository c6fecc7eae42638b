// Executables that leave the process and come back.
#include "fixture.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

std::string serialised(const Executable &exe) {
  std::stringstream out;
  exe.serialize(out);
  return out.str();
}

Executable deserialised(const std::string &text) {
  std::stringstream in(text);
  return Executable::deserialize(in);
}

// Everything that an executable has to keep, in one program.
struct Everything {
  Fixture f;
  std::string bytes;

  Everything() : f(4) {
    Graph &g = f.graph;
    const Tensor a = f.spread("a", 6, 3), b = f.spread("b", 6, 2), sum = f.variable("sum", {});
    const Tensor c = g.addConstant<float>(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}, "c");
    g.setTileMapping(c, 1);
    const Tensor count = f.variable("count", {}, 2, UNSIGNED_INT);
    g.setInitialValue(count, 3u);
    g.setInitialValue(b, {1.f, 1.f, 1.f, 1.f, 1.f, 1.f});
    const auto in = g.addHostToDeviceFIFO("in", FLOAT, 6);
    const auto out = g.addDeviceToHostFIFO("out", FLOAT, 6);
    const auto remote = g.addRemoteBuffer("remote", FLOAT, 6, 2);
    const Tensor block = g.addConstant(UNSIGNED_INT, {1}, 1u);
    g.setTileMapping(block, 0);
    f.prog.add(Copy(in, a));
    const ComputeSet add = g.addComputeSet("add");
    for (unsigned i = 0; i < 2; ++i) { // gathered edges, and one that is scattered
      const VertexRef v = f.vertex(add, "AddTo", i, {});
      g.connect(v["data"], b.slice(3 * i, 3 * i + 3).reverse(0));
      g.connect(v["amount"], c.transpose().flatten()[i]);
    }
    const Function body = g.addFunction(Execute(add));
    f.prog.add(Repeat(3, Call(body)));
    f.prog.add(Copy(concat(a.slice(3, 6), b.slice(0, 3)), remote, block));
    f.prog.add(Copy(b, out));
    const VertexRef v = f.vertex(g.addComputeSet("sum"), "Sum", 0, {});
    g.connect(v["in"], concat(a, b));
    g.connect(v["sum"], sum.reshape({1})[0]);
    f.prog.add(Execute(ComputeSet(1)));
    bytes = serialised(compileGraph(g, {f.prog, Sequence()}));
  }

  // What a run of the engine leaves.
  static std::vector<float> resultOf(Engine &e, Device &device) {
    std::vector<float> input = {1, 2, 3, 4, 5, 6}, output(6), block(6), sum(1);
    unsigned count = 0;
    e.connectStream("in", input.data(), input.data() + 6);
    e.connectStream("out", output.data(), output.data() + 6);
    e.load(device);
    e.run(0);
    e.run(1);
    e.copyFromRemoteBuffer("remote", block.data(), 1);
    e.readTensor("sum", sum.data(), sum.data() + 1);
    e.readTensor("count", &count, &count + 1);
    std::vector<float> all = output;
    all.insert(all.end(), block.begin(), block.end());
    all.push_back(sum[0]);
    all.push_back(static_cast<float>(count));
    return all;
  }
};

} // namespace

TEST(a_deserialised_executable_does_what_the_graph_does) {
  Everything all;
  Engine direct(all.f.graph, {all.f.prog, Sequence()});
  const std::vector<float> expected = Everything::resultOf(direct, all.f.device);
  CHECK_EQ(expected[0], 4.f); // 1 + 3 * 1
  CHECK_EQ(expected[13], 3.f);
  Engine again(deserialised(all.bytes));
  CHECK(Everything::resultOf(again, all.f.device) == expected);
}

TEST(serialising_twice_gives_the_same_bytes) {
  Everything all;
  CHECK(serialised(deserialised(all.bytes)) == all.bytes);
}

TEST(an_executable_is_the_graph_when_it_was_compiled) {
  Fixture f;
  const Tensor t = f.variable("t", {2});
  f.graph.setInitialValue(t, 5.f);
  const Executable exe = compileGraph(f.graph, {f.prog});
  f.graph.addVariable(FLOAT, {7}, "unmapped");
  f.graph.createHostRead("later", f.graph.addVariable(FLOAT, {7}, "unmapped too"));
  f.graph.setInitialValue(t, 6.f);
  Engine e(deserialised(serialised(exe)));
  e.load(f.device);
  float values[2];
  e.readTensor("t", values, values + 2);
  CHECK_EQ(values[1], 5.f);
  CHECK_THROWS(e.readTensor("later", values, values + 2), tensor_io_state_error, "no handle 'later'");
}

TEST(garbage_is_no_executable) {
  Everything all;
  CHECK_THROWS(deserialised(""), parse_error, "does not hold an executable");
  CHECK_THROWS(deserialised("some other file, long enough for a header"), parse_error, "does not hold");
  CHECK_THROWS(deserialised(all.bytes.substr(0, all.bytes.size() / 2)), parse_error, "cut short");
  for (std::size_t at = 40; at < all.bytes.size(); at += all.bytes.size() / 7) {
    std::string damaged = all.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK_THROWS(deserialised(damaged), parse_error, "damaged");
  }
  std::string other = all.bytes;
  ++other[8];
  CHECK_THROWS(deserialised(other), parse_error, "another version");
  std::ifstream missing("/nonexistent/file");
  CHECK_THROWS(Executable::deserialize(missing), poplar_error, "does not hold");
  CHECK_THROWS((Engine(Executable())), poplar_error, "empty");
  std::stringstream out;
  CHECK_THROWS(Executable().serialize(out), poplar_error, "empty");
  std::ofstream closed;
  CHECK_THROWS(compileGraph(all.f.graph, {all.f.prog}).serialize(closed), file_load_error, "does not take");
}

TEST(an_executable_runs_on_its_own_target_only) {
  Everything all; // 4 tiles
  Engine e(deserialised(all.bytes));
  CHECK_THROWS(e.load(Fixture::makeDevice(5)), poplar_error, "another target");
}
