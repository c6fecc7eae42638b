#include "group.hpp"
#include "reduce.hpp"

#include <popops/DynamicSlice.hpp>

namespace gcl {

using namespace poplar;

Group::Group(Graph &graph, const CommGroup &group, const DebugContext &debugContext)
    : graph_(graph), debugContext_(debugContext) {
  const unsigned replicas = graph.getReplicationFactor();
  const bool isAll = group.type() == CommGroupType::ALL || group.replicaGroupSize() == 0;
  size_ = isAll ? replicas : group.replicaGroupSize();
  if (group.type() == CommGroupType::ORTHOGONAL && size_ <= replicas)
    stride_ = replicas / size_;
  else if (!isAll)
    stride_ = group.replicaGroupStride();
  if (stride_ == 0 || replicas % (size_ * stride_) != 0)
    fail("collective", debugContext, std::to_string(replicas) + " replicas cannot form groups of " +
                                         std::to_string(size_) + " at a distance of " + std::to_string(stride_));
}

const Tensor &Group::place(program::Sequence &prog) {
  if (place_.valid())
    return place_;
  addCodelets(graph_);
  const Tensor replica = graph_.addReplicationIndexConstant({debugContext_, "replica"});
  graph_.setTileMapping(replica, 0);
  place_ = graph_.addVariable(UNSIGNED_INT, {1}, {debugContext_, "place"});
  graph_.setTileMapping(place_, 0);
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "place"});
  const VertexRef v = graph_.addVertex(cs, "gcl::PlaceInGroup", {{"replica", replica}, {"place", place_[0]}});
  graph_.setInitialValue(v["stride"], stride_);
  graph_.setInitialValue(v["size"], size_);
  graph_.setTileMapping(v, 0);
  prog.add(program::Execute(cs, debugContext_));
  return place_;
}

std::map<unsigned, unsigned> Group::round(unsigned k) const {
  std::map<unsigned, unsigned> to;
  for (unsigned replica = 0; replica < graph_.getReplicationFactor(); ++replica) {
    const unsigned from = replica / stride_ % size_, partner = (k + size_ - from) % size_;
    to[replica] = replica + partner * stride_ - from * stride_;
  }
  return to;
}

// Row k of `sent` goes in round k; a tensor without rows goes in every round.
Tensor Group::exchange(const Tensor &sent, program::Sequence &prog) {
  const bool hasRows = sent.rank() == 2;
  const Tensor received = hasRows ? graph_.clone(sent, {debugContext_, "received"})
                                  : graph_.cloneN(sent, size_, {debugContext_, "received"});
  for (unsigned k = 0; k < size_; ++k)
    prog.add(program::CrossReplicaCopy(hasRows ? sent[k] : sent, received[k], round(k), debugContext_));
  return received;
}

// Row j of the result is row (j + place) mod size.
Tensor Group::rotated(const Tensor &rows, program::Sequence &prog) {
  const Tensor &start = place(prog);
  return popops::dynamicSlice(graph_, rows, start, {0}, {size_}, prog, debugContext_);
}

// The member at place q sends row (k - q) mod size in round k. Seen from the last row that is row (q + size - 1 - k) mod
// size, again a slice that starts at the own place.
Tensor Group::allToAll(const Tensor &rows, program::Sequence &prog) {
  const Tensor sent = rotated(rows.reverse(0), prog).reverse(0);
  return rotated(exchange(sent, prog), prog);
}

Tensor Group::allGather(const Tensor &row, program::Sequence &prog) { return rotated(exchange(row, prog), prog); }

Tensor Group::ownRow(const Tensor &rows, program::Sequence &prog) {
  const Tensor &start = place(prog);
  return popops::dynamicSlice(graph_, rows, start, {0}, {1}, prog, debugContext_)[0];
}

} // namespace gcl
