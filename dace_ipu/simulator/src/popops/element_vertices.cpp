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

} // namespace

std::vector<Tensor> rowsOf(const Tensor &flat, const Regions &regions) {
  std::vector<Tensor> rows;
  for (const std::vector<Interval> &region : regions)
    rows.push_back(region.size() == 1 ? flat.slice(region[0]) : concat(flat.slices(region)));
  return rows;
}

void addVertexOnTile(Graph &graph, ComputeSet cs, const std::string &vertex, const std::vector<TileOperand> &operands,
                     const Tensor &flatOut, const Regions &regions, unsigned tile, const FieldValues &values,
                     const Scalars &scalars, bool hasSteps) {
  const VertexRef v = graph.addVertex(cs, vertex);
  graph.setTileMapping(v, tile);
  graph.connect(v["out"], rowsOf(flatOut, regions));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    std::vector<Tensor> rows = operands[i].rows;
    if (!operands[i].hasStep)
      for (Tensor &row : rows)
        row = constantOn(graph, row, tile);
    graph.connect(v["in" + number], rows);
    if (hasSteps)
      graph.setInitialValue(v["step" + number], operands[i].hasStep);
  }
  for (const auto &scalar : scalars)
    graph.connect(v[scalar.first], constantOn(graph, scalar.second, tile).reshape({}));
  for (const auto &value : values)
    graph.setInitialValue(v[value.first], value.second);
}

void addElementVertices(Graph &graph, ComputeSet cs, const std::string &vertex, const Operands &operands,
                        const Tensor &out, bool hasSteps, const FieldValues &values, const Scalars &scalars) {
  const Tensor flatOut = out.flatten();
  Operands flat;
  for (const Tensor &t : operands)
    flat.push_back(t.flatten());
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flatOut);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const Regions regions = graph.getSortedContiguousRegions(flatOut, mapping[tile]);
    std::vector<TileOperand> onTile;
    for (const Tensor &t : flat) {
      const bool isOne = t.numElements() == 1 && hasSteps;
      onTile.push_back({isOne ? std::vector<Tensor>{t} : rowsOf(t, regions), !isOne});
    }
    addVertexOnTile(graph, cs, vertex, onTile, flatOut, regions, tile, values, scalars, hasSteps);
  }
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
