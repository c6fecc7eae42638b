#include "element_vertices.hpp"

#include <poputil/Util.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

// A constant of one element beside the vertex that reads it; other tensors as they are.
Tensor constantOn(Graph &graph, const Tensor &t, unsigned tile) {
  const Type type = t.elementType();
  Tensor constant;
  long long integer;
  double real;
  if (type.isFloatingPoint() ? !t.getConstantValue(&real) : !t.getConstantValue(&integer))
    return t.flatten();
  if (type.isFloatingPoint())
    constant = graph.addConstant(type, {1}, real);
  else if (type == UNSIGNED_LONGLONG)
    constant = graph.addConstant(type, {1}, static_cast<unsigned long long>(integer));
  else
    constant = graph.addConstant(type, {1}, integer);
  graph.setTileMapping(constant, tile);
  return constant;
}

using Regions = std::vector<std::vector<Interval>>;

std::vector<Tensor> rowsOf(const Tensor &flat, const Regions &regions) {
  std::vector<Tensor> rows;
  for (const std::vector<Interval> &region : regions)
    rows.push_back(region.size() == 1 ? flat.slice(region[0]) : concat(flat.slices(region)));
  return rows;
}

void addVertexOnTile(Graph &graph, ComputeSet cs, const std::string &vertex, const Operands &flat, const Tensor &out,
                     const Regions &regions, unsigned tile, bool hasSteps, const FieldValues &values) {
  const VertexRef v = graph.addVertex(cs, vertex);
  graph.setTileMapping(v, tile);
  graph.connect(v["out"], rowsOf(out, regions));
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const bool isOne = flat[i].numElements() == 1 && hasSteps;
    graph.connect(v["in" + number],
                  isOne ? std::vector<Tensor>{constantOn(graph, flat[i], tile)} : rowsOf(flat[i], regions));
    if (hasSteps)
      graph.setInitialValue(v["step" + number], !isOne);
  }
  for (const auto &value : values)
    graph.setInitialValue(v[value.first], value.second);
}

} // namespace

void addElementVertices(Graph &graph, ComputeSet cs, const std::string &vertex, const Operands &operands,
                        const Tensor &out, bool hasSteps, const FieldValues &values) {
  const Tensor flatOut = out.flatten();
  Operands flat;
  for (const Tensor &t : operands)
    flat.push_back(t.flatten());
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flatOut);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      addVertexOnTile(graph, cs, vertex, flat, flatOut, graph.getSortedContiguousRegions(flatOut, mapping[tile]), tile,
                      hasSteps, values);
}

Operands withoutOverlap(Graph &graph, const Operands &operands, const Tensor &out, program::Sequence &prog,
                        const DebugContext &debugContext) {
  Operands result;
  for (const Tensor &t : operands)
    result.push_back(t.flatten() == out.flatten() || !t.intersectsWith(out)
                         ? t
                         : poputil::duplicate(graph, t, prog, {debugContext, "Overlap"}));
  return result;
}

} // namespace popops
