// Seeds of the hardware random number generators.
#ifndef poplar_RandomSeed_hpp
#define poplar_RandomSeed_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/// The seeds of all workers: UNSIGNED_INT of shape {tiles, workers, 4}. The simulator keeps them in a variable of its
/// own, so that getHwSeeds returns what setHwSeeds stored; they do not drive any generator.
Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext = {});
void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog, const DebugContext &debugContext = {});

} // namespace poplar

#endif
