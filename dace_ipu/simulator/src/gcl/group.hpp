// The replicas of a group and what they send each other.
#pragma once

#include <gcl/CollectiveTypes.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <map>

namespace gcl {

/// A group as it divides the replicas of a graph: members have the places 0 to size - 1.
///
/// In round k of `exchange` the member at place q sends to that at (k - q) mod size, so that what a member at place r
/// receives in round k is from place (k - r) mod size: row (j + r) mod size of what was received is from place j, and a
/// dynamic slice that starts at the replica's own place puts all in order.
class Group {
public:
  /// Throws poputil::poplibs_error if the replicas do not divide into such groups.
  Group(poplar::Graph &graph, const CommGroup &group, const poplar::DebugContext &debugContext);

  unsigned size() const { return size_; }
  /// Rows {size, elements} for the members of the group, in the order of places, to rows from them.
  poplar::Tensor allToAll(const poplar::Tensor &rows, poplar::program::Sequence &prog);
  /// One row {elements} to the rows {size, elements} of all members.
  poplar::Tensor allGather(const poplar::Tensor &row, poplar::program::Sequence &prog);
  /// The row of `rows` {size, elements} at the replica's own place.
  poplar::Tensor ownRow(const poplar::Tensor &rows, poplar::program::Sequence &prog);

private:
  poplar::Graph &graph_;
  const poplar::DebugContext debugContext_;
  unsigned stride_ = 1;
  unsigned size_;
  poplar::Tensor place_; // {1}, made when it is needed

  const poplar::Tensor &place(poplar::program::Sequence &prog);
  std::map<unsigned, unsigned> round(unsigned k) const;
  poplar::Tensor exchange(const poplar::Tensor &sent, poplar::program::Sequence &prog);
  poplar::Tensor rotated(const poplar::Tensor &rows, poplar::program::Sequence &prog);
};

} // namespace gcl
