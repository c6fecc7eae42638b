#include <popops/GatherStatistics.hpp>

#include <poplar/exceptions.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;

namespace {

[[noreturn]] void fail(const DebugContext &debugContext, const std::string &why) {
  throw poputil::poplibs_error("popops::histogram '" + debugContext.getPathName() + "': " + why);
}

struct Options {
  bool floatResult = false;
  bool floatInside = false;

  explicit Options(const OptionFlags &flags) {
    for (const auto &[option, value] : flags) {
      bool *known = option == "useFloatArithmetic"                        ? &floatResult
                    : option == "useFloatArithmeticWithUnsignedIntOutput" ? &floatInside
                                                                          : nullptr;
      if (!known)
        throw invalid_option("popops::histogram: unknown option '" + option + "'");
      if (value != "true" && value != "false")
        throw invalid_option("popops::histogram: option '" + option + "' cannot be '" + value + "'");
      *known = value == "true";
    }
    if (floatResult && floatInside)
      throw invalid_option("popops::histogram: useFloatArithmetic and useFloatArithmeticWithUnsignedIntOutput exclude "
                           "each other");
  }
};

void check(const Tensor &input, const Tensor &levels, const DebugContext &debugContext) {
  const Type type = input.elementType();
  if (type != FLOAT && type != HALF)
    fail(debugContext, "the input is float or half, not " + type.toString());
  if (levels.rank() != 1 || levels.elementType() != type)
    fail(debugContext, "levels are " + type.toString() + " of shape {n}, not " + levels.elementType().toString() + " " +
                           levels.shapeToString());
}

// The counts of every tile that holds a part of the input: {tiles, counts}.
Tensor countOnTiles(Graph &graph, const Tensor &input, const Tensor &levels, bool absolute, ComputeSet cs,
                    const DebugContext &debugContext) {
  const Tensor flat = input.flatten();
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flat);
  std::vector<Tensor> parts;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::vector<Interval> intervals;
    for (const auto &region : graph.getSortedContiguousRegions(flat, mapping[tile]))
      intervals.insert(intervals.end(), region.begin(), region.end());
    if (intervals.empty())
      continue;
    const Tensor counts = graph.addVariable(UNSIGNED_INT, {levels.dim(0) + 1}, {debugContext, "counts"});
    graph.setTileMapping(counts, tile);
    const VertexRef v =
        graph.addVertex(cs, poputil::templateVertex("popops::Histogram", flat.elementType()),
                        {{"data", concat(flat.slices(intervals))}, {"levels", levels}, {"counts", counts}});
    graph.setInitialValue(v["absolute"], absolute);
    graph.setTileMapping(v, tile);
    parts.push_back(counts.expand({0}));
  }
  return parts.empty() ? graph.addVariable(UNSIGNED_INT, {0, levels.dim(0) + 1}) : concat(parts);
}

void count(Graph &graph, const Tensor &input, const Tensor &output, bool update, const Tensor &levels, bool absolute,
           program::Sequence &prog, const DebugContext &debugContext) {
  const ComputeSet first = graph.addComputeSet({debugContext, "count"}),
                   second = graph.addComputeSet({debugContext, "sum"});
  const Tensor parts = countOnTiles(graph, input, levels, absolute, first, debugContext);
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(output);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile]) {
      const VertexRef v = graph.addVertex(second, poputil::templateVertex("popops::SumCounts", output.elementType()),
                                          {{"parts", parts.slice(interval, 1)}, {"out", output.slice(interval)}});
      graph.setInitialValue(v["add"], update);
      graph.setTileMapping(v, tile);
    }
  prog.add(program::Execute(first, debugContext));
  prog.add(program::Execute(second, debugContext));
}

} // namespace

Tensor histogram(Graph &graph, const Tensor &input, const Tensor &levels, bool absoluteOfInput, program::Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  const Options checked(options);
  check(input, levels, debugContext);
  const Type type = checked.floatResult ? FLOAT : UNSIGNED_INT;
  const Tensor output = graph.addVariable(type, {levels.dim(0) + 1}, {debugContext, "histogram"});
  poputil::mapTensorLinearly(graph, output);
  count(graph, input, output, false, levels, absoluteOfInput, prog, {debugContext, "histogram"});
  return output;
}

void histogram(Graph &graph, const Tensor &input, Tensor &output, bool updateOutput, const Tensor &levels,
               bool absoluteOfInput, program::Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &options) {
  const Options checked(options);
  if (checked.floatResult)
    throw invalid_option("popops::histogram: the type of the output says what useFloatArithmetic would");
  check(input, levels, debugContext);
  if (output.shape() != std::vector<std::size_t>{levels.dim(0) + 1} ||
      (output.elementType() != UNSIGNED_INT && (output.elementType() != FLOAT || checked.floatInside)))
    fail(debugContext, "the output is unsigned int" + std::string(checked.floatInside ? "" : " or float") +
                           " of shape {" + std::to_string(levels.dim(0) + 1) + "}, not " +
                           output.elementType().toString() + " " + output.shapeToString());
  count(graph, input, output, updateOutput, levels, absoluteOfInput, prog, {debugContext, "histogram"});
}

} // namespace popops
