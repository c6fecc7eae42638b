// Collectives over the replicas of a graph, or over the IPUs of one.
#ifndef gcl_Collectives_hpp
#define gcl_Collectives_hpp

#include <gcl/CollectiveTypes.hpp>

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

namespace gcl {

// Codelets are added when they are needed. Reductions take FLOAT, HALF, INT and UNSIGNED_INT, the logical ones BOOL.
// Options of GCL are accepted: they tell how, not what. With one replica, or one IPU, everything is a copy.
// Throws poputil::poplibs_error for groups, shapes and types that do not fit.

/// Every replica gets the reduction of the tensors of its group.
poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                     poplar::program::Sequence &prog, const CommGroup &group,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> allReduceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
                                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                                  const CommGroup &group, const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> allReduceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
                                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                                  const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});

void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &destination,
                                        CollectiveOperator op, poplar::program::Sequence &prog, const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &destination,
                                        CollectiveOperator op, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
void allReduceToDestinationCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
                                        const std::vector<poplar::Tensor> &destinations, CollectiveOperator op,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});

void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph, std::vector<poplar::Tensor> &datas, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph, std::vector<poplar::Tensor> &datas, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

/// Replica i of a group of n gets elements [i * m, (i + 1) * m) of the reduced flattened tensor, m = ceil(elements / n);
/// what lies beyond the end is zero. LOCAL takes the replica's own elements.
poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, const CommGroup &group,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});
poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});

/// Every replica gets the tensors of its group: shape {group size, shape...}.
poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                     const CommGroup &group, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> allGatherCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
                                                  poplar::program::Sequence &prog, const CommGroup &group,
                                                  const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});

/// data {group size, shape...}: replica i of a group gets element i of every replica's tensor, in their order.
poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                    const CommGroup &group, const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {});
poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {});

/// Every replica gets the tensor of replica `rootReplica` of its group.
poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                     const CommGroup &group, unsigned rootReplica = 0,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                     unsigned rootReplica = 0, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});

/// data {IPUs, shape...}, row i of IPU i: the reduction of the rows for every IPU, in the same shape.
poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});
/// Each IPU gets one part of the reduction of the flattened rows.
Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
/// All chunks, one after another, for every IPU: {IPUs, elements}.
poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &chunks, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});

} // namespace gcl

#endif
