#include "generate.hpp"

#include <poprand/RandomGen.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace poprand {

using namespace poplar;
using poputil::templateVertex;

namespace {

using SetParameters = std::function<void(const VertexRef &)>;

// One call that fills a tensor like `reference`.
Tensor generate(const char *function, const std::string &vertex, Graph &graph, const Tensor *seed,
                std::uint32_t modifier, const Tensor &reference, const Type &type, program::Sequence &prog,
                const DebugContext &debugContext, const SetParameters &set) {
  const DebugContext inner(debugContext, function);
  const Tensor out = graph.clone(type, reference, {inner, "out"});
  const Seeds seeds(graph, seed, modifier, prog, inner);
  const ComputeSet cs = graph.addComputeSet(inner);
  addVertices(graph, cs, "poprand::" + vertex, out, &seeds,
              [&](const VertexRef &v, const std::vector<Interval> &) { set(v); });
  prog.add(program::Execute(cs, inner));
  seeds.store(prog);
  return out;
}

void checkType(const char *function, const Type &type, bool allowInt, const DebugContext &debugContext) {
  if (type != FLOAT && type != HALF && !(allowInt && type == INT))
    fail(function, debugContext, std::string("makes float, half") + (allowInt ? " and int" : "") + ", not " +
                                     type.toString());
}

std::string text(double value) { return std::to_string(value); }

void checkRange(const char *function, double low, double high, const DebugContext &debugContext) {
  if (!(low <= high) || std::isinf(low) || std::isinf(high))
    fail(function, debugContext, "there is no range from " + text(low) + " to " + text(high));
}

std::uint64_t limitOf(const char *function, double probability, const DebugContext &debugContext) {
  if (!(probability >= 0 && probability <= 1))
    fail(function, debugContext, "the probability " + text(probability) + " is not between 0 and 1");
  return static_cast<std::uint64_t>(std::llround(std::ldexp(probability, 32)));
}

constexpr double largestHalf = 65504;

// The nearest float, or whole number of halves, that does not lie beyond `towards`: ends stay inside the range.
float inside(double value, double towards, const Type &type) {
  if (type == HALF && value != 0) {
    const int exponent = std::max(std::ilogb(value), -14);
    const double step = std::ldexp(1.0, exponent - 10);
    value = (value < towards ? std::ceil(value / step) : std::floor(value / step)) * step;
  }
  float result = static_cast<float>(value);
  if ((value < towards && result < value) || (value > towards && result > value))
    result = std::nextafter(result, static_cast<float>(towards));
  return result;
}

} // namespace

Tensor uniform(Graph &graph, const Tensor *seed, uint32_t seedModifier, const Tensor &reference, const Type &outType,
               double minVal, double maxVal, program::Sequence &prog, const DebugContext &debugContext) {
  checkType("uniform", outType, true, debugContext);
  checkRange("uniform", minVal, maxVal, debugContext);
  const double lowest = std::ceil(minVal), highest = std::floor(maxVal);
  if (outType == INT && (lowest < std::numeric_limits<int>::min() || highest > std::numeric_limits<int>::max() ||
                         lowest > highest))
    fail("uniform", debugContext, "there is no range of int from " + text(minVal) + " to " + text(maxVal));
  if (outType == HALF && (minVal < -largestHalf || maxVal > largestHalf))
    fail("uniform", debugContext, "half has no range from " + text(minVal) + " to " + text(maxVal));
  return generate("uniform", outType == INT ? "UniformInt" : templateVertex("Uniform", outType), graph, seed, seedModifier, reference, outType, prog, debugContext,
                  [&](const VertexRef &v) {
                    if (outType == INT) {
                      graph.setInitialValue(v["lowest"], static_cast<int>(lowest));
                      graph.setInitialValue(v["range"], static_cast<unsigned>(static_cast<std::uint64_t>(highest - lowest) + 1));
                    } else {
                      graph.setInitialValue(v["lowest"], inside(minVal, maxVal, outType));
                      graph.setInitialValue(v["highest"], inside(maxVal, minVal, outType));
                    }
                  });
}

Tensor logUniform(Graph &graph, const Tensor *seed, uint32_t seedModifier, const Tensor &reference,
                  const Type &outType, double minVal, double maxVal, program::Sequence &prog, double base,
                  const DebugContext &debugContext) {
  checkType("logUniform", outType, true, debugContext);
  if (!(minVal >= 1) || !(maxVal > minVal) || std::isinf(maxVal))
    fail("logUniform", debugContext, "needs 1 <= minVal < maxVal, not " + text(minVal) + " and " + text(maxVal));
  if (!(base > 0) || base == 1)
    fail("logUniform", debugContext, "there is no logarithm with base " + text(base));
  if (outType == INT && (std::trunc(minVal) != minVal || std::trunc(maxVal) != maxVal ||
                         maxVal > std::numeric_limits<int>::max()))
    fail("logUniform", debugContext, "the ends of a range of int are int, not " + text(minVal) + " and " + text(maxVal));
  const float lowest = inside(minVal, maxVal, outType), highest = inside(maxVal, minVal, outType);
  if (lowest > highest || (outType == HALF && maxVal > largestHalf))
    fail("logUniform", debugContext, outType.toString() + " has no range from " + text(minVal) + " to " + text(maxVal));
  return generate("logUniform", templateVertex("LogUniform", outType), graph, seed, seedModifier, reference, outType, prog, debugContext,
                  [&](const VertexRef &v) {
                    graph.setInitialValue(v["lowest"], lowest);
                    graph.setInitialValue(v["highest"], highest);
                    graph.setInitialValue(v["logLowest"], std::log(minVal));
                    graph.setInitialValue(v["logHighest"], std::log(maxVal));
                  });
}

Tensor bernoulli(Graph &graph, const Tensor *seed, uint32_t seedModifier, const Tensor &reference, const Type &outType,
                 double prob, program::Sequence &prog, const DebugContext &debugContext) {
  checkType("bernoulli", outType, true, debugContext);
  const std::uint64_t limit = limitOf("bernoulli", prob, debugContext);
  return generate("bernoulli", templateVertex("Bernoulli", outType), graph, seed, seedModifier, reference, outType, prog, debugContext,
                  [&](const VertexRef &v) { graph.setInitialValue(v["limit"], limit); });
}

Tensor normal(Graph &graph, const Tensor *seed, uint32_t seedModifier, const Tensor &reference, const Type &outType,
              double mean, double stdDev, program::Sequence &prog, const DebugContext &debugContext) {
  checkType("normal", outType, false, debugContext);
  return generate("normal", templateVertex("Normal", outType), graph, seed, seedModifier, reference, outType, prog, debugContext,
                  [&](const VertexRef &v) {
                    graph.setInitialValue(v["mean"], mean);
                    graph.setInitialValue(v["stdDev"], stdDev);
                  });
}

Tensor truncatedNormal(Graph &graph, const Tensor *seed, uint32_t seedModifier, const Tensor &reference,
                       const Type &outType, double mean, double stdDev, double alpha, program::Sequence &prog,
                       const DebugContext &debugContext) {
  checkType("truncatedNormal", outType, false, debugContext);
  if (!(alpha >= 1))
    fail("truncatedNormal", debugContext, "alpha must be at least 1, not " + text(alpha));
  // A draw fails with probability erfc(alpha / sqrt(2)) <= 0.32; 2^-100 is never.
  const double failing = std::max(std::erfc(alpha / std::sqrt(2.0)), 1e-30);
  const unsigned iterations = static_cast<unsigned>(std::ceil(100 * std::log(0.5) / std::log(failing)));
  return generate("truncatedNormal", templateVertex("TruncatedNormal", outType), graph, seed, seedModifier, reference, outType, prog,
                  debugContext, [&](const VertexRef &v) {
                    graph.setInitialValue(v["mean"], mean);
                    graph.setInitialValue(v["stdDev"], stdDev);
                    graph.setInitialValue(v["alpha"], alpha);
                    graph.setInitialValue(v["iterations"], iterations);
                  });
}

Tensor dropout(Graph &graph, const Tensor *seed, const uint32_t seedModifier, const Tensor &input,
               const Tensor &reference, double keepProbability, double scale, bool outputClonesRef,
               program::Sequence &prog, const DebugContext &debugContext) {
  const DebugContext inner(debugContext, "dropout");
  checkType("dropout", input.elementType(), false, debugContext);
  if (input.shape() != reference.shape())
    fail("dropout", debugContext, "input " + input.shapeToString() + " and reference " + reference.shapeToString() +
                                      " must have the same shape");
  const std::uint64_t limit = limitOf("dropout", keepProbability, debugContext);
  const Type type = input.elementType();
  const Tensor out = graph.clone(type, outputClonesRef ? reference : input, {inner, "out"});
  const Tensor where = outputClonesRef ? out : graph.clone(type, reference, {inner, "numbers"});
  const Seeds seeds(graph, seed, seedModifier, prog, inner);
  const ComputeSet cs = graph.addComputeSet(inner);
  const Tensor in = input.flatten();
  addVertices(graph, cs, templateVertex("poprand::Dropout", type), where, &seeds,
              [&](const VertexRef &v, const std::vector<Interval> &intervals) {
                graph.connect(v["in"], concat(in.slices(intervals)));
                graph.setInitialValue(v["limit"], limit);
                graph.setInitialValue(v["scale"], scale);
              });
  prog.add(program::Execute(cs, inner));
  seeds.store(prog);
  if (!outputClonesRef)
    prog.add(program::Copy(where, out, false, inner));
  return out;
}

Tensor dropout(Graph &graph, const Tensor *seed, const uint32_t seedModifier, const Tensor &input,
               const Tensor &reference, double keepProbability, double scale, program::Sequence &prog,
               const DebugContext &debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, true, prog, debugContext);
}

namespace {

// The view of `t` with the shape of `full`, as numpy broadcasts.
Tensor broadcastTo(Tensor t, const Tensor &full, const DebugContext &debugContext) {
  while (t.rank() < full.rank())
    t = t.expand({0});
  for (unsigned d = 0; t.rank() == full.rank() && d < t.rank(); ++d)
    if (t.dim(d) == 1 && full.dim(d) != 1)
      t = t.broadcast(static_cast<unsigned>(full.dim(d)), d);
  if (t.shape() != full.shape())
    fail("shapedDropout", debugContext, "the reference does not broadcast to input " + full.shapeToString());
  return t;
}

} // namespace

Tensor shapedDropout(Graph &graph, const Tensor *seed, const uint32_t seedModifier, const Tensor &input,
                     const Tensor &reference, double keepProbability, double scale, program::Sequence &prog,
                     const DebugContext &debugContext) {
  const DebugContext inner(debugContext, "shapedDropout");
  checkType("shapedDropout", input.elementType(), false, debugContext);
  limitOf("shapedDropout", keepProbability, debugContext);
  broadcastTo(reference, input, debugContext);
  const Tensor decided =
      bernoulli(graph, seed, seedModifier, reference, input.elementType(), keepProbability, prog, inner);
  const Tensor keep = broadcastTo(decided, input, debugContext).flatten(), in = input.flatten();
  const Tensor out = graph.clone(input, {inner, "out"});
  const ComputeSet cs = graph.addComputeSet(inner);
  addVertices(graph, cs, templateVertex("poprand::Mask", input.elementType()), out, nullptr,
              [&](const VertexRef &v, const std::vector<Interval> &intervals) {
                graph.connect(v["in"], concat(in.slices(intervals)));
                graph.connect(v["keep"], concat(keep.slices(intervals)));
                graph.setInitialValue(v["scale"], scale);
              });
  prog.add(program::Execute(cs, inner));
  return out;
}

} // namespace poprand
