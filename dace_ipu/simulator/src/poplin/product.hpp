// Planned matrix products: operands in the layout of a plan, and the compute sets.
#pragma once

#include "plan.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin::internal {

/// New tensors [groups, m, k], [groups, k, n], [groups, m, n] of the product, as the plan stores them. Not for sizes of zero.
poplar::Tensor createA(poplar::Graph &graph, const Plan &plan, const poplar::DebugContext &debugContext);
poplar::Tensor createB(poplar::Graph &graph, const Plan &plan, const poplar::DebugContext &debugContext);
poplar::Tensor createC(poplar::Graph &graph, const Plan &plan, const poplar::DebugContext &debugContext);

/// `t` itself, or a copy of it, as the plan stores it.
poplar::Tensor arrangeA(poplar::Graph &graph, const Plan &plan, const poplar::Tensor &a,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
poplar::Tensor arrangeB(poplar::Graph &graph, const Plan &plan, const poplar::Tensor &b,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

/// c = a * b, of any layout.
void multiply(poplar::Graph &graph, const Plan &plan, const poplar::Tensor &a, const poplar::Tensor &b,
              const poplar::Tensor &c, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
/// c += scale * a * b, for one element of type FLOAT.
void multiplyAccumulate(poplar::Graph &graph, const Plan &plan, const poplar::Tensor &a, const poplar::Tensor &b,
                        const poplar::Tensor &c, const poplar::Tensor &scale, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext);

} // namespace poplin::internal
