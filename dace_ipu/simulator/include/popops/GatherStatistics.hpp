// Histograms.
#ifndef popops_GatherStatistics_hpp
#define popops_GatherStatistics_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Counts the elements of `input` (FLOAT or HALF, any shape) between the ascending `levels` (same type, {n}): element i of
/// the result, of shape {n + 1}, counts levels[i - 1] <= x < levels[i]; the first and the last one are open.
///
/// The result is UNSIGNED_INT, or FLOAT with the option useFloatArithmetic. Counting is exact whatever
/// useFloatArithmeticWithUnsignedIntOutput says. Throws poputil::poplibs_error, poplar::invalid_option.
poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &levels,
                         bool absoluteOfInput, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
/// The same into `output` (UNSIGNED_INT or FLOAT, {n + 1}), added to what is there with `updateOutput`.
void histogram(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &output, bool updateOutput,
               const poplar::Tensor &levels, bool absoluteOfInput, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

} // namespace popops

#endif
