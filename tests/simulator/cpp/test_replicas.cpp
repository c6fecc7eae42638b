// Replicated graphs: every replica has its own memory, and all run the same program.
#include "fixture.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/FunctionBuffer.hpp>
#include <poplar/exceptions.hpp>

#include <numeric>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

struct Replicated {
  Device device;
  Graph graph;
  Sequence prog;

  explicit Replicated(unsigned ipus = 3, unsigned replicas = 3)
      : device(makeDevice(ipus)), graph(device.getTarget(), replication_factor(replicas)) {
    graph.addCodelets(codeletPath());
  }
  static Device makeDevice(unsigned ipus) {
    IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  Tensor variable(const std::string &name, std::vector<std::size_t> shape, Type type = FLOAT) {
    const Tensor t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, 1);
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
    return t;
  }
  Tensor index() {
    const Tensor t = graph.addReplicationIndexConstant("me");
    graph.setTileMapping(t, 0);
    return t;
  }
};

template <typename T> std::vector<T> read(Engine &e, const std::string &handle, std::size_t n) {
  std::vector<T> values(n);
  e.readTensor(handle, values.data(), values.data() + n);
  return values;
}

using Floats = std::vector<float>;
using Numbers = std::vector<unsigned>;

} // namespace

TEST(the_target_of_a_replica_is_its_share) {
  Replicated r(6, 3);
  CHECK_EQ(r.graph.getReplicationFactor(), 3u);
  CHECK_EQ(r.graph.getTarget().getNumIPUs(), 2u);
  CHECK_EQ(r.graph.getTarget().getNumTiles(), 8u);
  CHECK_THROWS(Graph(r.device.getTarget(), replication_factor(4)), graph_replication_error, "does not divide");
  CHECK_THROWS(Graph(r.device.getTarget(), replication_factor(0)), graph_replication_error, "does not divide");
  CHECK_THROWS(r.graph.getTopLevelGraph(), graph_replication_error, "not supported yet");
}

TEST(every_replica_knows_its_number) {
  Replicated r;
  const Tensor t = r.variable("t", {}, UNSIGNED_INT);
  r.prog.add(Copy(r.index(), t));
  Engine e(r.graph, r.prog);
  e.load(r.device);
  e.run();
  CHECK(read<unsigned>(e, "t", 3) == Numbers({0, 1, 2}));
  unsigned small[2];
  CHECK_THROWS(e.readTensor("t", small, small + 2), index_error, "12 bytes");
}

TEST(replicas_take_turns_in_a_buffer_or_share_a_broadcast) {
  Replicated r;
  const Tensor own = r.variable("own", {2}), all = r.variable("all", {2});
  const auto replicated = r.graph.addHostToDeviceFIFO("replicated", FLOAT, 2);
  const auto broadcast = r.graph.addHostToDeviceFIFO("broadcast", FLOAT, 2, ReplicatedStreamMode::BROADCAST);
  const auto out = r.graph.addDeviceToHostFIFO("out", FLOAT, 2);
  r.prog = Sequence{Copy(replicated, own), Copy(broadcast, all), Copy(own, out)};
  Engine e(r.graph, r.prog);
  Floats data(6), shared = {7, 8}, back(6);
  std::iota(data.begin(), data.end(), 1.f);
  e.connectStream("replicated", data.data(), data.data() + 6);
  e.connectStream("broadcast", shared.data(), shared.data() + 2);
  e.connectStream("out", back.data(), back.data() + 6);
  e.load(r.device);
  e.run();
  CHECK(read<float>(e, "own", 6) == data);
  CHECK(read<float>(e, "all", 6) == Floats({7, 8, 7, 8, 7, 8}));
  CHECK(back == data);
}

TEST(callbacks_and_remote_buffers_belong_to_replicas) {
  Replicated r;
  const Tensor t = r.variable("t", {});
  const auto in = r.graph.addHostToDeviceFIFO("in", FLOAT, 1);
  const auto remote = r.graph.addRemoteBuffer("remote", FLOAT, 1);
  r.prog = Sequence{Copy(in, t), Copy(t, remote)};
  Engine e(r.graph, r.prog);
  for (unsigned i = 0; i < 3; ++i)
    e.connectStreamToCallback("in", i, [i](void *p) { *static_cast<float *>(p) = 10.f * static_cast<float>(i); });
  e.load(r.device);
  e.run();
  for (unsigned i = 0; i < 3; ++i) {
    float block = -1;
    e.copyFromRemoteBuffer("remote", &block, 0, i);
    CHECK_EQ(block, 10.f * static_cast<float>(i));
  }
  const Floats given = {7}, none;
  Floats taken(1);
  e.copyToRemoteBuffer(ArrayRef<float>(given), "remote", 0, 2);
  e.copyFromRemoteBuffer("remote", ArrayRef<float>(taken), 0, 2);
  CHECK(taken == given);
  CHECK_THROWS(e.copyToRemoteBuffer(ArrayRef<float>(none), "remote", 0), index_error, "a block has 4 bytes");
  CHECK_THROWS(e.connectStreamToCallback("in", 3, [](void *) {}), index_error, "3 of 3");
}

TEST(cross_replica_copies_are_simultaneous) {
  Replicated r;
  const Tensor t = r.variable("t", {2}, UNSIGNED_INT);
  r.prog.add(CrossReplicaCopy(t.reverse(0), t, {{0, 1}, {1, 2}, {2, 0}}));
  Engine e(r.graph, r.prog);
  e.load(r.device);
  const Numbers before = {1, 2, 3, 4, 5, 6};
  e.writeTensor("t", before.data(), before.data() + 6);
  e.run();
  CHECK(read<unsigned>(e, "t", 6) == Numbers({6, 5, 2, 1, 4, 3}));
  using Map = std::map<unsigned, unsigned>;
  CHECK_THROWS(CrossReplicaCopy(t, t, Map({{0, 1}, {1, 1}, {2, 0}})), graph_replication_error, "once to each");
  CHECK_THROWS(Engine(r.graph, CrossReplicaCopy(t, t, Map({{0, 0}}))), graph_replication_error, "1 replicas of 3");
}

TEST(replicas_may_go_different_ways) {
  Replicated r;
  Graph &g = r.graph;
  const Tensor me = r.index(), t = r.variable("t", {}, UNSIGNED_INT), left = r.variable("left", {}, UNSIGNED_INT);
  const Tensor runs = r.variable("runs", {1});
  const auto constant = [&](unsigned value) {
    const Tensor c = g.addConstant(UNSIGNED_INT, {}, value);
    g.setTileMapping(c, 0);
    return c;
  };
  const Tensor ten = constant(10), twenty = constant(20), thirty = constant(30);
  const Tensor one = g.addConstant(FLOAT, {}, 1.f);
  g.setTileMapping(one, 0);
  r.prog.add(If(me, Copy(ten, t), Copy(twenty, t)));
  r.prog.add(Switch(me, {{2, Copy(thirty, t)}}));
  // A loop that every replica leaves when its own stream says so.
  const ComputeSet cs = g.addComputeSet("count");
  g.setTileMapping(g.addVertex(cs, "AddTo", {{"data", runs}, {"amount", one}}), 0);
  const auto in = g.addHostToDeviceFIFO("in", UNSIGNED_INT, 1);
  r.prog.add(RepeatWhileTrue(Copy(in, left), left, Execute(cs)));
  Engine e(g, r.prog);
  for (unsigned i = 0; i < 3; ++i) {
    auto rest = std::make_shared<unsigned>(2 * i);
    e.connectStreamToCallback("in", i, [rest](void *p) { *static_cast<unsigned *>(p) = (*rest)--; });
  }
  e.load(r.device);
  e.run();
  CHECK(read<unsigned>(e, "t", 3) == Numbers({20, 10, 30}));
  CHECK(read<float>(e, "runs", 3) == Floats({0, 2, 4}));

  // Divergence around a copy between replicas would deadlock.
  Sequence bad;
  bad.add(If(me, CrossReplicaCopy(t, t, {{0, 1}, {1, 2}, {2, 0}}), Sequence()));
  Engine stuck(g, bad);
  stuck.load(r.device);
  CHECK_THROWS(stuck.run(), graph_replication_error, "only some of the replicas");
}

TEST(replicated_executables_serialise) {
  Replicated r;
  const Tensor t = r.variable("t", {}, UNSIGNED_INT);
  r.prog.add(Copy(r.index(), t));
  std::stringstream stream;
  compileGraph(r.graph, {r.prog}).serialize(stream);
  Engine e(Executable::deserialize(stream));
  e.load(r.device);
  e.run();
  CHECK(read<unsigned>(e, "t", 3) == Numbers({0, 1, 2}));
  CHECK_THROWS(e.load(Replicated::makeDevice(1)), poplar_error, "another target");
}
