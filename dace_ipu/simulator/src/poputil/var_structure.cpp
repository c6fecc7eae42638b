#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace poputil {

using poplar::Interval;
using poplar::Tensor;
using Sizes = std::vector<std::size_t>;

namespace {

// Where the flattened tensor goes on elsewhere divides what can be a group.
std::size_t divideByBegins(std::size_t group, const std::vector<Interval> &regions) {
  for (const Interval &r : regions) {
    group = std::gcd(group, r.begin());
    if (group == 1)
      break;
  }
  return group;
}

unsigned groupingOf(const poplar::Graph &graph, const Tensor &t, std::size_t group) {
  group = divideByBegins(group, t.flatten().getContiguousRegions());
  bool isComplete = false;
  const auto mapping = graph.getTileMapping(t, &isComplete);
  for (std::size_t tile = 0; isComplete && tile < mapping.size(); ++tile)
    group = divideByBegins(group, mapping[tile]);
  return static_cast<unsigned>(group);
}

void requireRank(const Tensor &t, const char *function) {
  if (t.rank() == 0)
    throw poplibs_error(std::string(function) + ": a tensor of rank 0 has no dimensions");
}

} // namespace

unsigned detectInnermostGrouping(const poplar::Graph &graph, const Tensor &t) {
  requireRank(t, "detectInnermostGrouping");
  return t.numElements() == 0 ? 1 : groupingOf(graph, t, t.dim(t.rank() - 1));
}

std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const Tensor &t) {
  requireRank(t, "detectDimGroupings");
  std::vector<GroupingInfo> groupings;
  if (t.numElements() == 0)
    return groupings;
  const unsigned rank = t.rank();
  // The groups found so far are the last dimension; the others are what is left of the original ones.
  Tensor rest = t.expand({rank});
  for (bool found = true; found;) {
    found = false;
    const std::size_t inner = rest.dim(rank);
    for (unsigned d = rank; !found && d-- > 0;) {
      if (rest.dim(d) == 1)
        continue;
      const Tensor rolled = rest.dimRoll(d, rank - 1);
      const unsigned group = groupingOf(graph, rolled, rest.dim(d) * inner);
      if (group % inner != 0 || group == inner)
        continue;
      const auto factor = static_cast<unsigned>(group / inner);
      groupings.emplace_back(d, factor);
      rest = rest.reshapePartial(d, d + 1, {rest.dim(d) / factor, factor}).dimRoll(d + 1, rank).flatten(rank, rank + 2);
      found = true;
    }
  }
  return groupings;
}

namespace {

// Boundaries of a balanced partition of one dimension.
Sizes boundaries(std::size_t size, std::size_t parts) {
  Sizes result{0};
  for (std::size_t p = 0; p < parts; ++p)
    result.push_back(result.back() + size / parts + (p < size % parts ? 1 : 0));
  return result;
}

std::vector<Sizes> partitionOf(const Sizes &shape, const Sizes &nPartitions, const char *function) {
  if (shape.size() != nPartitions.size())
    throw poplibs_error(std::string(function) + ": a tensor of rank " + std::to_string(shape.size()) +
                        " needs as many numbers of partitions, not " + std::to_string(nPartitions.size()));
  std::vector<Sizes> result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (nPartitions[d] == 0)
      throw poplibs_error(std::string(function) + ": no partitions of dimension " + std::to_string(d));
    result.push_back(boundaries(shape[d], nPartitions[d]));
  }
  return result;
}

// Takes the next elements of `flat` for the block that `lengths` begins and for all blocks inside it.
Tensor assemble(const Tensor &flat, std::size_t &used, const std::vector<Sizes> &cuts, Sizes &lengths) {
  const std::size_t d = lengths.size();
  if (d == cuts.size()) {
    std::size_t size = 1;
    for (const std::size_t n : lengths)
      size *= n;
    used += size;
    return flat.slice(used - size, used).reshape(lengths);
  }
  std::vector<Tensor> blocks;
  for (std::size_t p = 0; p + 1 < cuts[d].size(); ++p) {
    lengths.push_back(cuts[d][p + 1] - cuts[d][p]);
    blocks.push_back(assemble(flat, used, cuts, lengths));
    lengths.pop_back();
  }
  return poplar::concat(blocks, static_cast<unsigned>(d));
}

} // namespace

Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type, const Sizes &shape,
                                 const Sizes &nPartitions, const poplar::DebugContext &debugContext) {
  const std::vector<Sizes> cuts = partitionOf(shape, nPartitions, "createPartitionableTensor");
  const std::size_t n = std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<std::size_t>());
  if (n == 0)
    return graph.addVariable(type, shape, debugContext);
  std::size_t used = 0;
  Sizes lengths;
  return assemble(graph.addVariable(type, {n}, debugContext), used, cuts, lengths);
}

void iterateTensorPartitions(const Tensor &t, const Sizes &nPartitions,
                             const std::function<void(const Sizes &i, const Tensor &s)> &f) {
  const std::vector<Sizes> cuts = partitionOf(t.shape(), nPartitions, "iterateTensorPartitions");
  const std::size_t blocks =
      std::accumulate(nPartitions.begin(), nPartitions.end(), std::size_t(1), std::multiplies<std::size_t>());
  for (std::size_t b = 0; b < blocks; ++b) {
    const Sizes index = unflattenIndex(nPartitions, b);
    Sizes begin, end;
    for (std::size_t d = 0; d < index.size(); ++d) {
      begin.push_back(cuts[d][index[d]]);
      end.push_back(cuts[d][index[d] + 1]);
    }
    const Tensor block = t.slice(begin, end);
    if (block.numElements() > 0)
      f(index, block);
  }
}

} // namespace poputil
