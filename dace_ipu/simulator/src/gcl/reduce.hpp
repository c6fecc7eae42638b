// Reductions of tensors that lie on one IPU, and the codelets for that.
#pragma once

#include <gcl/CollectiveTypes.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>

namespace gcl {

/// Adds the codelets of gcl and popops, if they are not there.
void addCodelets(poplar::Graph &graph);

[[noreturn]] void fail(const std::string &function, const poplar::DebugContext &debugContext, const std::string &why);

/// Appends the reduction of the rows of `parts` {n, elements} into `out` {elements}, where `out` lies. Not for LOCAL.
/// Throws poputil::poplibs_error for types that the operator does not take.
void reduceRows(poplar::Graph &graph, const poplar::Tensor &parts, const poplar::Tensor &out, CollectiveOperator op,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace gcl
