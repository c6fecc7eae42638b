// Collectives over replicas, against the same on the host.
#include "fixture.hpp"

#include <gcl/Collectives.hpp>
#include <poplar/replication_factor.hpp>
#include <popops/Collectives.hpp>
#include <poputil/TileMapping.hpp>

#include <functional>

using namespace poplar;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;

namespace {

constexpr unsigned replicas = 4;

struct Replicas {
  Device device = Fixture::makeDevice(4, replicas);
  Graph graph{device.getTarget(), replication_factor(replicas)};
  program::Sequence prog;

  Replicas() { popops::addCodelets(graph); }
  Tensor variable(const std::string &name, std::size_t n) {
    const Tensor t = graph.addVariable(FLOAT, {n}, name);
    poputil::mapTensorLinearly(graph, t, 1, 1);
    expose(name, t);
    return t;
  }
  void expose(const std::string &name, const Tensor &t) {
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
  }
  Engine engine() {
    Engine e(graph, prog);
    e.load(device);
    return e;
  }
};

// Element i of replica r.
float valueOf(std::size_t r, std::size_t i) { return static_cast<float>((r * 5 + i * 3) % 7) - 2; }

std::vector<float> data(std::size_t n) {
  std::vector<float> v;
  for (std::size_t r = 0; r < replicas; ++r)
    for (std::size_t i = 0; i < n; ++i)
      v.push_back(valueOf(r, i));
  return v;
}

float combined(CollectiveOperator op, float a, float b) {
  switch (op) {
  case CollectiveOperator::MUL:
    return a * b;
  case CollectiveOperator::MIN:
    return std::min(a, b);
  case CollectiveOperator::MAX:
    return std::max(a, b);
  case CollectiveOperator::SQUARE_ADD:
    return a + b * b;
  default:
    return a + b;
  }
}

// What the replicas of a group have in element i.
float reduced(CollectiveOperator op, const std::vector<unsigned> &members, std::size_t i) {
  float sum = op == CollectiveOperator::SQUARE_ADD ? 0 : valueOf(members[0], i);
  for (std::size_t m = op == CollectiveOperator::SQUARE_ADD ? 0 : 1; m < members.size(); ++m)
    sum = combined(op, sum, valueOf(members[m], i));
  return op == CollectiveOperator::MEAN ? sum / static_cast<float>(members.size()) : sum;
}

std::vector<unsigned> membersOf(unsigned replica, const CommGroup &group) {
  std::vector<unsigned> members;
  for (unsigned r = 0; r < replicas; ++r)
    if (group.type() == CommGroupType::ALL ||
        (group.type() == CommGroupType::CONSECUTIVE
             ? r / group.replicaGroupSize() == replica / group.replicaGroupSize()
             : r % (replicas / group.replicaGroupSize()) == replica % (replicas / group.replicaGroupSize())))
      members.push_back(r);
  return members;
}

} // namespace

TEST(every_replica_of_a_group_gets_the_reduction) {
  constexpr std::size_t n = 13;
  for (const CollectiveOperator op : {CollectiveOperator::ADD, CollectiveOperator::MEAN, CollectiveOperator::MUL,
                                      CollectiveOperator::MIN, CollectiveOperator::MAX, CollectiveOperator::SQUARE_ADD})
    for (const CommGroup &group :
         {CommGroup(), CommGroup(CommGroupType::CONSECUTIVE, 2), CommGroup(CommGroupType::ORTHOGONAL, 2)}) {
      Replicas f;
      const Tensor x = f.variable("x", n);
      f.expose("y", gcl::allReduceCrossReplica(f.graph, x, op, f.prog, group));
      Engine e = f.engine();
      write(e, "x", data(n));
      e.run();
      const std::vector<float> got = readFloats(e, "y", replicas * n);
      for (unsigned r = 0; r < replicas; ++r)
        for (std::size_t i = 0; i < n; ++i)
          CHECK_EQ(got[r * n + i], reduced(op, membersOf(r, group), i));
    }
}

TEST(scattered_gathered_and_exchanged) {
  Replicas f;
  const Tensor x = f.variable("x", 8);
  f.expose("scattered", gcl::reduceScatterCrossReplica(f.graph, x, CollectiveOperator::ADD, f.prog));
  f.expose("gathered", gcl::allGatherCrossReplica(f.graph, x, f.prog));
  f.expose("exchanged", gcl::allToAllCrossReplica(f.graph, x.reshape({replicas, 2}), f.prog));
  Engine e = f.engine();
  write(e, "x", data(8));
  e.run();
  const std::vector<float> scattered = readFloats(e, "scattered", 8), exchanged = readFloats(e, "exchanged", 32);
  for (unsigned i = 0; i < 8; ++i)
    CHECK_EQ(scattered[i], reduced(CollectiveOperator::ADD, {0, 1, 2, 3}, i));
  const std::vector<float> gathered = readFloats(e, "gathered", 4 * 32);
  for (unsigned r = 0; r < replicas; ++r)
    for (unsigned i = 0; i < 32; ++i)
      CHECK_EQ(gathered[r * 32 + i], valueOf(i / 8, i % 8));
  for (unsigned r = 0; r < replicas; ++r)
    for (unsigned i = 0; i < 8; ++i)
      CHECK_EQ(exchanged[r * 8 + i], valueOf(i / 2, r * 2 + i % 2));
}

TEST(collectives_by_their_old_names) {
  Replicas f;
  Tensor x = f.variable("x", 6), out = f.variable("out", 6);
  f.expose("sum", popops::replicatedAllReduce(f.graph, x, popops::Operation::ADD, f.prog, "sum",
                                              {{"useReplicatedImplementation", "true"}}));
  popops::replicatedAllReduceWithOutput(f.graph, x, out, popops::CollectiveOperator::MAX, f.prog, "max");
  popops::replicatedAllReduceInPlace(f.graph, x, popops::Operation::MUL, f.prog);
  Engine e = f.engine();
  write(e, "x", data(6));
  e.run();
  for (unsigned i = 0; i < 24; ++i) {
    CHECK_EQ(readFloats(e, "sum", 24)[i], reduced(CollectiveOperator::ADD, {0, 1, 2, 3}, i % 6));
    CHECK_EQ(readFloats(e, "out", 24)[i], reduced(CollectiveOperator::MAX, {0, 1, 2, 3}, i % 6));
    CHECK_EQ(readFloats(e, "x", 24)[i], reduced(CollectiveOperator::MUL, {0, 1, 2, 3}, i % 6));
  }
}
