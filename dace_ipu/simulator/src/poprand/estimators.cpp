// What random numbers cost, in tile cycles. Source: PopLibs, poprandCycleEstimators.cpp; out.size() elements, `v` of
// them in a 64-bit vector.
#include "generate.hpp"

namespace poprand {

using namespace poplar;

namespace {

constexpr std::uint64_t workers = 6;

bool is(const VertexIntrospector &vertex, const char *type) {
  return vertex.vertexType().find(std::string("<") + type + ">") != std::string::npos;
}

std::uint64_t sizeOf(const VertexIntrospector &vertex) { return vertex.getFieldInfo("out").size(); }

// prologue + workers * entry + n * perVector / v + the remainder.
std::uint64_t vectors(const VertexIntrospector &vertex, std::uint64_t prologue, std::uint64_t entry,
                      std::uint64_t perVector, std::uint64_t width, std::uint64_t remainder) {
  const std::uint64_t n = sizeOf(vertex);
  return prologue + workers * entry + perVector * ((n + width - 1) / width) + (n % width ? remainder : 0);
}

// PopLibs divides by the data path's width in bits where it means elements, here and for bernoulli; not copied.
VertexPerfEstimate uniformCost(const VertexIntrospector &v, const Target &) {
  return is(v, "half") ? vectors(v, 4, 24, 4, 4, 12) : vectors(v, 4, 22, 4, 2, 4);
}

VertexPerfEstimate uniformIntCost(const VertexIntrospector &v, const Target &) { return vectors(v, 4, 22, 6, 2, 2); }

VertexPerfEstimate bernoulliCost(const VertexIntrospector &v, const Target &) {
  return is(v, "half") ? vectors(v, 4, 21, 1, 4, 9) : vectors(v, 4, 23, 1, 2, 1);
}

VertexPerfEstimate normalCost(const VertexIntrospector &v, const Target &) {
  return is(v, "half") ? vectors(v, 4, 24, 4, 4, 12) : vectors(v, 4, 22, 4, 2, 3);
}

// PopLibs tries four times and then takes a triangular distribution; here numbers are drawn until one fits, which takes
// less than one and a half tries on average.
VertexPerfEstimate truncatedNormalCost(const VertexIntrospector &v, const Target &) {
  constexpr std::uint64_t tries = 4;
  return is(v, "half") ? vectors(v, 4, 28, 12 * tries + 5, 4, 12 * tries + 10)
                       : vectors(v, 4, 26, 11 * tries + 5, 2, 13 * tries + 2);
}

VertexPerfEstimate dropoutCost(const VertexIntrospector &v, const Target &) {
  return is(v, "half") ? vectors(v, 6, 24, 2, 4, 9) : vectors(v, 6, 24, 2, 2, 1);
}

// PopLibs chains uniform, exp (6 slots for two floats) and cast; one worker slot is six cycles shared by six workers.
VertexPerfEstimate logUniformCost(const VertexIntrospector &v, const Target &) {
  return vectors(v, 4, 22, 4 + 6 + 2, 2, 4);
}

// A multiplication of two vectors, as Binary1D: 3 slots a vector.
VertexPerfEstimate maskCost(const VertexIntrospector &v, const Target &) {
  return is(v, "half") ? vectors(v, 11, 29, 3, 4, 3) : vectors(v, 11, 29, 3, 2, 3);
}

// PopLibs' supervisor vertex takes 14 + 27 * workers tile cycles; this one is a worker: slots.
VertexPerfEstimate setSeedCost(const VertexIntrospector &, const Target &) { return (14 + 27 * workers) / workers; }

} // namespace

poputil::internal::Estimators estimators() {
  return {{"poprand::Uniform", uniformCost},       {"poprand::Bernoulli", bernoulliCost},
          {"poprand::Normal", normalCost},         {"poprand::TruncatedNormal", truncatedNormalCost},
          {"poprand::UniformInt", uniformIntCost}, {"poprand::Dropout", dropoutCost},
          {"poprand::LogUniform", logUniformCost}, {"poprand::Mask", maskCost},
          {"poprand::SetSeed", setSeedCost},       {"poprand::StartSeeds", setSeedCost}};
}

} // namespace poprand
