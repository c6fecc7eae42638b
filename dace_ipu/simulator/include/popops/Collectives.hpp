// Collectives by the names they had before GCL. Programs that use them link libgcl.
#ifndef popops_Collectives_hpp
#define popops_Collectives_hpp

#include <gcl/Collectives.hpp>
#include <popops/OperationDef.hpp>
#include <poputil/exceptions.hpp>

// Over the replicas of a graph: replicated..., allToAllPersonalizedExchange; over the IPUs of a graph: the others. `Op`
// is popops::Operation or CollectiveOperator. Options and errors: gcl/Collectives.hpp.
namespace popops {

using CollectiveOperator = gcl::CollectiveOperator;
using Chunk = gcl::Chunk;
using Chunks = gcl::Chunks;

namespace collectives {

inline CollectiveOperator operatorOf(CollectiveOperator op) { return op; }
inline CollectiveOperator operatorOf(Operation op) {
  switch (op) {
  case Operation::ADD:
    return CollectiveOperator::ADD;
  case Operation::MUL:
    return CollectiveOperator::MUL;
  case Operation::MIN:
    return CollectiveOperator::MIN;
  case Operation::MAX:
    return CollectiveOperator::MAX;
  case Operation::LOGICAL_AND:
    return CollectiveOperator::LOGICAL_AND;
  case Operation::LOGICAL_OR:
    return CollectiveOperator::LOGICAL_OR;
  case Operation::SQUARE_ADD:
    return CollectiveOperator::SQUARE_ADD;
  default:
    throw poputil::poplibs_error("popops collectives: LOG_ADD is not supported");
  }
}

} // namespace collectives

#define POPOPS_COLLECTIVE                                                                                              \
  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},                                      \
                                                              const poplar::OptionFlags &options = {}

template <typename Op>
poplar::Tensor replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data, Op op, POPOPS_COLLECTIVE) {
  return gcl::allReduceCrossReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
template <typename Op>
poplar::Tensor replicatedAllReduce(poplar::Graph &graph, poplar::Graph &, const poplar::Tensor &data, Op op,
                                   POPOPS_COLLECTIVE) {
  return gcl::allReduceCrossReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
template <typename Op>
void replicatedAllReduceWithOutput(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &output, Op op,
                                   POPOPS_COLLECTIVE) {
  gcl::allReduceToDestinationCrossReplica(graph, data, output, collectives::operatorOf(op), prog, debugContext,
                                          options);
}
template <typename Op>
void replicatedAllReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, Op op, POPOPS_COLLECTIVE) {
  gcl::allReduceInPlaceCrossReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
template <typename Op>
poplar::Tensor replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &data, Op op, POPOPS_COLLECTIVE) {
  return gcl::reduceScatterCrossReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
inline poplar::Tensor replicatedAllGather(poplar::Graph &graph, const poplar::Tensor &data, POPOPS_COLLECTIVE) {
  return gcl::allGatherCrossReplica(graph, data, prog, debugContext, options);
}
inline poplar::Tensor allToAllPersonalizedExchange(poplar::Graph &graph, const poplar::Tensor &data,
                                                   POPOPS_COLLECTIVE) {
  return gcl::allToAllCrossReplica(graph, data, prog, debugContext, options);
}

template <typename Op>
poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data, Op op, POPOPS_COLLECTIVE) {
  return gcl::allReduceWithinReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
template <typename Op>
Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &data, Op op, POPOPS_COLLECTIVE) {
  return gcl::reduceScatterWithinReplica(graph, data, collectives::operatorOf(op), prog, debugContext, options);
}
inline poplar::Tensor allGather(poplar::Graph &graph, const Chunks &chunks, POPOPS_COLLECTIVE) {
  return gcl::allGatherWithinReplica(graph, chunks, prog, debugContext, options);
}

#undef POPOPS_COLLECTIVE

} // namespace popops

#endif
