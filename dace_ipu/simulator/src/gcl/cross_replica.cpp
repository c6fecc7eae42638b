// Collectives over replicas.
#include "group.hpp"
#include "reduce.hpp"

#include <gcl/Collectives.hpp>

namespace gcl {

using namespace poplar;

namespace {

Tensor copied(Graph &graph, const Tensor &t, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor result = graph.clone(t, {debugContext, "copy"});
  prog.add(program::Copy(t, result, false, debugContext));
  return result;
}

// {size, ceil(n / size)}: the elements of the flattened tensor, and zeros.
Tensor shares(Graph &graph, const Tensor &data, std::size_t size, const DebugContext &debugContext) {
  const Tensor flat = data.flatten();
  const std::size_t each = (flat.numElements() + size - 1) / size, missing = each * size - flat.numElements();
  if (missing == 0)
    return flat.reshape({size, each});
  const Tensor padding = graph.addConstant(data.elementType(), {missing}, 0, {debugContext, "padding"});
  graph.setTileMapping(padding, 0);
  return concat(flat, padding).reshape({size, each});
}

// What a reduction over one replica is.
Tensor reduceAlone(Graph &graph, const Tensor &flat, CollectiveOperator op, program::Sequence &prog,
                   const DebugContext &debugContext) {
  if (op != CollectiveOperator::SQUARE_ADD)
    return copied(graph, flat, prog, debugContext);
  const Tensor result = graph.clone(flat, {debugContext, "reduced"});
  reduceRows(graph, flat.expand({0}), result, op, prog, debugContext);
  return result;
}

Tensor reduceShares(Graph &graph, Group &members, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                    const DebugContext &debugContext) {
  const Tensor rows = shares(graph, data, members.size(), debugContext);
  const Tensor all = members.allToAll(rows, prog);
  const Tensor reduced = graph.clone(all[0], {debugContext, "reduced"});
  reduceRows(graph, all, reduced, op, prog, debugContext);
  return reduced;
}

// A reduce-scatter and an all-gather: every replica sends and receives about twice the tensor, however many there are.
Tensor allReduce(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                 const CommGroup &group, const DebugContext &debugContext) {
  Group members(graph, group, debugContext);
  if (members.size() == 1 || op == CollectiveOperator::LOCAL)
    return reduceAlone(graph, data.flatten(), op, prog, debugContext).reshape(data.shape());
  const Tensor reduced = reduceShares(graph, members, data, op, prog, debugContext);
  const Tensor all = members.allGather(reduced, prog).flatten().slice(0, data.numElements());
  return all.reshape(data.shape());
}

} // namespace

Tensor allReduceCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                             const CommGroup &group, const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "allReduce");
  const Tensor result = graph.clone(data, {inner, "result"});
  prog.add(program::Copy(allReduce(graph, data, op, prog, group, inner), result, false, inner));
  return result;
}

Tensor allReduceCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

std::vector<Tensor> allReduceCrossReplica(Graph &graph, const std::vector<Tensor> &datas, CollectiveOperator op,
                                          program::Sequence &prog, const CommGroup &group,
                                          const DebugContext &debugContext, const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Tensor &data : datas)
    results.push_back(allReduceCrossReplica(graph, data, op, prog, group, debugContext, options));
  return results;
}

std::vector<Tensor> allReduceCrossReplica(Graph &graph, const std::vector<Tensor> &datas, CollectiveOperator op,
                                          program::Sequence &prog, const DebugContext &debugContext,
                                          const OptionFlags &options) {
  return allReduceCrossReplica(graph, datas, op, prog, CommGroup(), debugContext, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data, Tensor &destination, CollectiveOperator op,
                                        program::Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "allReduce");
  if (destination.shape() != data.shape() || destination.elementType() != data.elementType())
    fail("allReduceToDestinationCrossReplica", debugContext,
         "the destination " + destination.shapeToString() + " is not like the data " + data.shapeToString());
  prog.add(program::Copy(allReduce(graph, data, op, prog, group, inner), destination, false, inner));
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data, Tensor &destination, CollectiveOperator op,
                                        program::Sequence &prog, const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allReduceToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(), debugContext, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const std::vector<Tensor> &datas,
                                        const std::vector<Tensor> &destinations, CollectiveOperator op,
                                        program::Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext, const OptionFlags &options) {
  if (datas.size() != destinations.size())
    fail("allReduceToDestinationCrossReplica", debugContext, std::to_string(datas.size()) + " tensors and " +
                                                                 std::to_string(destinations.size()) + " destinations");
  for (std::size_t i = 0; i < datas.size(); ++i) {
    Tensor destination = destinations[i];
    allReduceToDestinationCrossReplica(graph, datas[i], destination, op, prog, group, debugContext, options);
  }
}

void allReduceInPlaceCrossReplica(Graph &graph, Tensor &data, CollectiveOperator op, program::Sequence &prog,
                                  const CommGroup &group, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceToDestinationCrossReplica(graph, data, data, op, prog, group, debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, Tensor &data, CollectiveOperator op, program::Sequence &prog,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, std::vector<Tensor> &datas, CollectiveOperator op,
                                  program::Sequence &prog, const CommGroup &group, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  for (Tensor &data : datas)
    allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, std::vector<Tensor> &datas, CollectiveOperator op,
                                  program::Sequence &prog, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, datas, op, prog, CommGroup(), debugContext, options);
}

Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                                 const CommGroup &group, const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "reduceScatter");
  Group members(graph, group, inner);
  if (members.size() == 1)
    return reduceAlone(graph, data.flatten(), op, prog, inner);
  if (op == CollectiveOperator::LOCAL)
    return members.ownRow(shares(graph, data, members.size(), inner), prog);
  return reduceShares(graph, members, data, op, prog, inner);
}

Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op, program::Sequence &prog,
                                 const DebugContext &debugContext, const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

namespace {

std::vector<std::size_t> withRows(std::size_t rows, std::vector<std::size_t> shape) {
  shape.insert(shape.begin(), rows);
  return shape;
}

} // namespace

Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog, const CommGroup &group,
                             const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "allGather");
  Group members(graph, group, inner);
  const Tensor all = members.size() == 1 ? copied(graph, data, prog, inner) : members.allGather(data.flatten(), prog);
  return all.reshape(withRows(members.size(), data.shape()));
}

Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

std::vector<Tensor> allGatherCrossReplica(Graph &graph, const std::vector<Tensor> &datas, program::Sequence &prog,
                                          const CommGroup &group, const DebugContext &debugContext,
                                          const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Tensor &data : datas)
    results.push_back(allGatherCrossReplica(graph, data, prog, group, debugContext, options));
  return results;
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog, const CommGroup &group,
                            const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "allToAll");
  Group members(graph, group, inner);
  if (data.rank() == 0 || data.dim(0) != members.size())
    fail("allToAllCrossReplica", debugContext, "a tensor " + data.shapeToString() + " does not have a row for each of " +
                                                   std::to_string(members.size()) + " replicas");
  if (members.size() == 1)
    return copied(graph, data, prog, inner);
  const Tensor rows = data.flatten().reshape({members.size(), data.numElements() / members.size()});
  return members.allToAll(rows, prog).reshape(data.shape());
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog, const DebugContext &debugContext,
                            const OptionFlags &options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog, const CommGroup &group,
                             unsigned rootReplica, const DebugContext &debugContext, const OptionFlags &) {
  const DebugContext inner(debugContext, "broadcast");
  Group members(graph, group, inner);
  if (rootReplica >= members.size())
    fail("broadcastCrossReplica", debugContext, "there is no replica " + std::to_string(rootReplica) + " in a group of " +
                                                    std::to_string(members.size()));
  if (members.size() == 1)
    return copied(graph, data, prog, inner);
  const Tensor result = graph.clone(data, {inner, "result"});
  prog.add(program::Copy(members.allGather(data.flatten(), prog)[rootReplica], result.flatten(), false, inner));
  return result;
}

Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, program::Sequence &prog, unsigned rootReplica,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), rootReplica, debugContext, options);
}

} // namespace gcl
