// Embeddings trained by several replicas, each with a part of the batch; the same on the host.
#include "network.hpp"

#include <poplar/replication_factor.hpp>
#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>

namespace {

constexpr std::size_t words = 11, width = 6, lookups = 5;
constexpr unsigned replicas = 2;

// Pulls the rows that are looked up towards a target: table[i] -= rate * (table[i] - target), averaged over replicas.
Matrix trained(Matrix table, const std::vector<unsigned> &indices, const Matrix &target, double rate) {
  Matrix gradient(table.size());
  for (std::size_t n = 0; n < indices.size(); ++n)
    for (std::size_t i = 0; i < width; ++i)
      gradient[indices[n] * width + i] += (table[indices[n] * width + i] - target[i]) / replicas;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] -= rate * gradient[i];
  return table;
}

} // namespace

TEST(replicas_train_an_embedding) {
  const Device device = Fixture::makeDevice(4, replicas);
  Graph graph(device.getTarget(), replication_factor(replicas));
  Network::addAll(graph);
  Sequence prog;
  const OptionFlags options{{"usedForUpdate", "true"}};
  const auto plan = popops::embedding::plan(graph, FLOAT, words, width, {lookups}, options);
  const Tensor table = popops::createSliceableTensor(graph, FLOAT, {words, width}, {0}, {1}, plan, options, "table");
  const Tensor indices = popops::createIndicesTensor(graph, {0}, lookups, plan, options, "indices");
  const Tensor target = graph.addVariable(FLOAT, {width}, "target");
  poputil::mapTensorLinearly(graph, target);
  const Tensor scale = graph.addConstant(FLOAT, {}, 1.0f);
  graph.setTileMapping(scale, 0);
  const Tensor rows = popops::multiSlice(graph, table, indices, {0}, {1}, prog, plan, options, "look up");
  const Tensor ofRows = popops::sub(graph, rows, target, prog, "gradient");
  const Tensor gradient = popops::createSliceableTensor(graph, FLOAT, {words, width}, {0}, {1}, plan, options, "grad");
  popops::mulInPlace(graph, table, 1.0f, prog); // as weight decay would
  const Tensor zeros = graph.addConstant(FLOAT, gradient.shape(), 0.0f);
  poputil::mapTensorLinearly(graph, zeros);
  prog.add(Copy(zeros, gradient));
  popops::multiUpdateAdd(graph, gradient, ofRows, indices, scale, {0}, {1}, prog, plan, options, "accumulate");
  Tensor mean = gradient;
  gcl::allReduceInPlaceCrossReplica(graph, mean, gcl::CollectiveOperator::MEAN, prog, "reduce");
  using namespace popops::expr;
  popops::mapInPlace(graph, _1 - 0.5f * _2, {table, mean}, prog, "update");
  for (const auto &t :
       {std::make_pair("table", table), std::make_pair("target", target), std::make_pair("indices", indices)}) {
    graph.createHostRead(t.first, t.second);
    graph.createHostWrite(t.first, t.second);
  }

  Engine e(graph, prog);
  e.load(device);
  Matrix want = someNumbers(words * width, 1);
  const Matrix goal = someNumbers(width, 2);
  std::vector<float> tables, goals;
  for (unsigned r = 0; r < replicas; ++r) {
    tables.insert(tables.end(), want.begin(), want.end());
    goals.insert(goals.end(), goal.begin(), goal.end());
  }
  const std::vector<unsigned> which = {3, 0, 3, 10, 7, 7, 3, 2, 2, 2};
  write(e, "table", tables);
  write(e, "target", goals);
  write(e, "indices", which);
  for (int step = 0; step < 3; ++step) {
    e.run();
    want = trained(want, which, goal, 0.5);
  }
  const std::vector<float> got = readFloats(e, "table", replicas * words * width);
  CHECK(near({got.begin(), got.begin() + words * width}, want, 1e-5));
  CHECK(near({got.begin() + words * width, got.end()}, want, 1e-5));
}
