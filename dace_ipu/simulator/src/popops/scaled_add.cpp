#include "element_vertices.hpp"
#include "estimators.hpp"

#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ScaledAdd.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

struct Options {
  bool optimizeForSpeed = false;
  double tolerance = 1e-6;
};

Options parse(const OptionFlags &options) {
  Options result;
  poplibs::OptionSpec({{"optimizeForSpeed", poplibs::OptionHandler::createWithBool(result.optimizeForSpeed)},
                       {"scaleFloatToHalfTolerance", poplibs::OptionHandler::createWithDouble(result.tolerance, 0)}})
      .parse(options);
  return result;
}

bool isReal(const Type &t) { return t == FLOAT || t == HALF; }

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  throw poplibs_error("popops::scaledAdd (" + dc.getPathName() + "): " + what);
}

void check(const Tensor &a, const Tensor &b, const DebugContext &dc) {
  const Type x = a.elementType(), y = b.elementType();
  const bool fits = (isReal(x) && isReal(y)) || (x == y && (x == INT || x == UNSIGNED_INT));
  if (!fits)
    fail(dc, "operands of types " + x.toString() + " and " + y.toString() + " are not supported");
  if (a.shape() != b.shape())
    fail(dc, "operands have shapes " + a.shapeToString() + " and " + b.shapeToString());
  if (!a.isParallelWriteable())
    fail(dc, "the first operand is written, but has aliases or constants");
}

// Scalars with the type that all of them can have.
std::vector<Tensor> scaleTensors(Graph &graph, const Type &data, std::vector<Tensor> scales, program::Sequence &prog,
                                 const DebugContext &dc) {
  for (Tensor &s : scales) {
    if (s.numElements() != 1)
      fail(dc, "a scale of shape " + s.shapeToString() + " has not one element");
    if (isReal(data) != isReal(s.elementType()) || (!isReal(data) && s.elementType() != data))
      fail(dc, "a scale of type " + s.elementType().toString() + " for data of type " + data.toString());
    s = s.reshape({});
  }
  const bool mixed = scales.front().elementType() != scales.back().elementType();
  for (Tensor &s : scales)
    if (mixed && s.elementType() != FLOAT)
      s = cast(graph, s, FLOAT, prog, {dc, "Scale"});
  return scales;
}

std::vector<Tensor> scaleConstants(Graph &graph, const Type &data, const std::vector<float> &values,
                                   const Options &options) {
  const auto isHalf = [&](float v) {
    return v == 0 || poputil::checkAccuracyWhenCast(graph.getTarget(), v, FLOAT, HALF, options.tolerance);
  };
  const bool allHalf = data == HALF && std::all_of(values.begin(), values.end(), isHalf);
  const Type type = !isReal(data) ? data : allHalf ? HALF : FLOAT;
  std::vector<Tensor> result;
  for (const float v : values) {
    result.push_back(isReal(type) ? graph.addConstant(type, {}, v)
                                  : graph.addConstant(type, {}, static_cast<long long>(v)));
    graph.setTileMapping(result.back(), 0);
  }
  return result;
}

struct Flags {
  bool subtract;
  bool isRest;
};

// With one scale A += s * B, with two A = a * A + b * B.
void run(Graph &graph, const Tensor &a, const Tensor &b, const std::vector<Tensor> &scales, Flags flags,
         program::Sequence &prog, const DebugContext &dc) {
  const bool both = scales.size() == 2;
  const Operands data = withoutOverlap(graph, {b}, a, prog, dc);
  const ComputeSet cs = graph.addComputeSet({dc, "ScaledAdd"});
  FieldValues values = {{"subtract", flags.subtract}};
  if (both)
    values.emplace_back("isRest", flags.isRest);
  Scalars scalars = {{"scaleB", scales.back()}};
  if (both)
    scalars.emplace_back("scaleA", scales.front());
  addElementVertices(graph, cs,
                     poputil::templateVertex(both ? "popops::AXPlusBY" : "popops::ScaledAdd", a.elementType(),
                                             b.elementType(), scales[0].elementType()),
                     data, a, false, values, scalars);
  prog.add(program::Execute(cs, {dc}));
}

void byTensors(Graph &graph, const Tensor &a, const Tensor &b, const std::vector<Tensor> &scales, Flags flags,
               program::Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  parse(options);
  check(a, b, dc);
  run(graph, a, b, scaleTensors(graph, a.elementType(), scales, prog, dc), flags, prog, dc);
}

void byConstants(Graph &graph, const Tensor &a, const Tensor &b, const std::vector<float> &scales, Flags flags,
                 program::Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  const Options parsed = parse(options);
  check(a, b, dc);
  run(graph, a, b, scaleConstants(graph, a.elementType(), scales, parsed), flags, prog, dc);
}

bool isRest(ScaledAddSpecialisation s) { return s == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY; }

} // namespace

void scaledAddTo(Graph &graph, Tensor A, Tensor B, float scaleB, program::Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  byConstants(graph, A, B, {scaleB}, {false, false}, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor B, Tensor scaleB, program::Sequence &prog, const DebugContext &dc,
                 const OptionFlags &options) {
  byTensors(graph, A, B, {scaleB}, {false, false}, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, float scaleB, program::Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options) {
  byConstants(graph, A, B, {scaleB}, {true, false}, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, Tensor scaleB, program::Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options) {
  byTensors(graph, A, B, {scaleB}, {true, false}, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, program::Sequence &prog,
                 const DebugContext &dc, const OptionFlags &options) {
  byTensors(graph, A, B, {scaleA, scaleB}, {false, false}, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, program::Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &dc, const OptionFlags &options) {
  byTensors(graph, A, B, {scaleA, scaleB}, {false, isRest(speciality)}, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, program::Sequence &prog,
                 const DebugContext &dc, const OptionFlags &options) {
  byConstants(graph, A, B, {scaleA, scaleB}, {false, false}, prog, dc, options);
}

void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, program::Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &dc, const OptionFlags &options) {
  byConstants(graph, A, B, {scaleA, scaleB}, {false, isRest(speciality)}, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, program::Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options) {
  byTensors(graph, A, B, {scaleA, scaleB}, {true, false}, prog, dc, options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, program::Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options) {
  byConstants(graph, A, B, {scaleA, scaleB}, {true, false}, prog, dc, options);
}

namespace {

constexpr std::uint64_t workers = 6;

// One region: PopLibs, ScaledAddModelling.cpp, with one correction. There the vectors that are left when they do not
// divide by the number of workers are given to nobody; measurements show that one worker has one more.
std::uint64_t realCycles(std::uint64_t n, std::uint64_t width, std::uint64_t inner, bool subtract, bool both) {
  const std::uint64_t vectors = n / width, rest = n % width, each = vectors / workers;
  const std::uint64_t supervisor = 21 + 11 + (rest ? 13 : 7) + 12 + 6 + (subtract ? 7 : 0) + (both ? 12 : 0);
  std::uint64_t worker = 15 + 6 + 2 + 1 + 1;
  if (each > 0)
    worker += inner * (each - 1);
  if (vectors % workers)
    worker += inner;
  if (rest)
    worker += width == 2 ? 8 : 5 + (rest >= 2 ? 7 : 0) + (rest == 3 ? 6 : 0);
  return supervisor + workers * worker;
}

std::uint64_t integerCycles(std::uint64_t n) {
  const std::uint64_t mine = (n + workers - 1) / workers;
  return 53 + workers * (26 * (mine / 3) + 6 + 26 * (mine % 3) + 14);
}

VertexPerfEstimate estimate(const VertexIntrospector &vertex, const Target &target) {
  const std::string &type = vertex.vertexType();
  const FieldData out = vertex.getFieldInfo("out");
  const bool isInteger = type.find("int") != std::string::npos;
  const bool isHalf = type.find("<half") != std::string::npos;
  const bool isMixed = type.find("half") != std::string::npos && type.find("float") != std::string::npos;
  const bool both = type.find("AXPlusBY") != std::string::npos;
  const bool subtract = vertex.getFieldInfo("subtract").getInitialValue<unsigned>(target);
  std::uint64_t total = 0;
  for (std::size_t row = 0; row < out.size(); ++row)
    total += out.getSizeAtIndex(row);
  // More rows cost each worker the start of its loop once more.
  const std::uint64_t more = workers * 11 * ((out.size() + workers - 1) / workers - (out.size() == 1 ? 1 : 0));
  return more + (isInteger ? integerCycles(total)
                           : realCycles(total, isHalf ? 4 : 2, isMixed ? 4 : 3, subtract, both));
}

} // namespace

poputil::internal::Estimators scaledAddEstimators() {
  return {{"popops::ScaledAdd", estimate}, {"popops::AXPlusBY", estimate}};
}

} // namespace popops
