// Loops with a counter.
#ifndef popops_Loop_hpp
#define popops_Loop_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>

namespace popops {

/// Builds the body of a loop from its counter, UNSIGNED_INT {1}.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor &)>;

/// Runs the body for begin, begin + step, ... < end, or for 0, 1, ... < count. Throws poputil::poplibs_error if begin is
/// not less than end, or the step is zero.
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                                      const CountedLoopBodyType &body, const poplar::DebugContext &debugContext = {});
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count, const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});

/// Adds a program that adds `countStep` to `count` and returns an UNSIGNED_INT scalar on `tile`: whether it differs from
/// the limit now.
poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, const poplar::Tensor &count,
                                       const poplar::Tensor &countLimit, int countStep, unsigned tile,
                                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

/// Runs the body for initialCount, initialCount + countStep, ... until that *equals* the limit, which is read before
/// every iteration. `count` and the limit are single elements of INT, or of UNSIGNED_INT (poputil::poplibs_error).
poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count, int initialCount,
                                         const poplar::Tensor &countLimit, int countStep,
                                         const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});
poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount, const poplar::Tensor &countLimit,
                                         int countStep, const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
