// What all generating functions have in common: seeds, and a vertex on every tile.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include "../poputil/library_codelets.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace poprand {

/// The seeds that one call uses: of the workers of every tile, {tiles, workers * 4}.
class Seeds {
public:
  /// Appends what makes them: from `master`, or if it is null the generators' own.
  /// Throws poputil::poplibs_error if `master` is not UNSIGNED_INT of shape {2}.
  Seeds(poplar::Graph &graph, const poplar::Tensor *master, std::uint32_t modifier, poplar::program::Sequence &prog,
        const poplar::DebugContext &debugContext);
  poplar::Tensor ofTile(unsigned tile) const { return all_[tile]; }
  /// Appends what keeps the state of the generators' own seeds.
  void store(poplar::program::Sequence &prog) const;

private:
  poplar::Graph &graph_;
  const bool own_;
  const poplar::DebugContext debugContext_;
  poplar::Tensor all_;
};

using SetFields = std::function<void(const poplar::VertexRef &, const std::vector<poplar::Interval> &)>;

/// Adds a vertex on every tile that holds elements of `out`; `set` connects what only this kind of vertex has, from the
/// flattened intervals.
void addVertices(poplar::Graph &graph, poplar::ComputeSet cs, const std::string &vertex, const poplar::Tensor &out,
                 const Seeds *seeds, const SetFields &set);

[[noreturn]] void fail(const std::string &function, const poplar::DebugContext &debugContext, const std::string &why);

poputil::internal::Estimators estimators();

} // namespace poprand
