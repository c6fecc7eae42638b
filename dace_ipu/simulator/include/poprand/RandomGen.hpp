// Random numbers.
#ifndef poprand_RandomGen_hpp
#define poprand_RandomGen_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cmath>
#include <cstdint>

namespace poprand {

// Every worker of every tile has a generator of its own, xoroshiro128aox as on the machine. With a `seed` (UNSIGNED_INT of
// shape {2}) the numbers depend on its values, on `seedModifier` and on the mapping of `reference`, and on nothing else.
// Without (nullptr) the generators go on where the last call without a seed left them; setSeed, or
// poplar::setHwSeeds, starts them anew.
//
// The result has the shape and mapping of `reference`. Throws poputil::poplibs_error for types, shapes and parameters
// that do not fit.

/// `input` times `scale` where a number was kept, with probability `keepProbability`; elsewhere zero. FLOAT or HALF.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed, const uint32_t seedModifier,
                       const poplar::Tensor &input, const poplar::Tensor &reference, double keepProbability,
                       double scale, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// The result is mapped as `reference`, or without `outputClonesRef` as `input`.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed, const uint32_t seedModifier,
                       const poplar::Tensor &input, const poplar::Tensor &reference, double keepProbability,
                       double scale, bool outputClonesRef, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
/// One decision for each element of `reference`, whose shape must broadcast to that of `input`.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed, const uint32_t seedModifier,
                             const poplar::Tensor &input, const poplar::Tensor &reference, double keepProbability,
                             double scale, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

/// Uniform in [minVal, maxVal]; FLOAT, HALF or INT, which includes both ends.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed, uint32_t seedModifier,
                       const poplar::Tensor &reference, const poplar::Type &outType, double minVal, double maxVal,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// The logarithm is uniform; 1 <= minVal < maxVal. FLOAT, HALF or INT. The base makes no difference to the distribution.
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed, uint32_t seedModifier,
                          const poplar::Tensor &reference, const poplar::Type &outType, double minVal, double maxVal,
                          poplar::program::Sequence &prog, double base = M_E,
                          const poplar::DebugContext &debugContext = {});
/// 1 with probability `prob`, else 0; FLOAT, HALF or INT.
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed, uint32_t seedModifier,
                         const poplar::Tensor &reference, const poplar::Type &outType, double prob,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// FLOAT or HALF.
poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed, uint32_t seedModifier,
                      const poplar::Tensor &reference, const poplar::Type &outType, double mean, double stdDev,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// Normal, given that it lies within mean +- alpha * stdDev; alpha at least 1. FLOAT or HALF.
poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed, uint32_t seedModifier,
                               const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                               double stdDev, double alpha, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

/// Starts the generators of all tiles from `masterSeed` (UNSIGNED_INT {2}) and `seedModifier`.
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace poprand

#endif
