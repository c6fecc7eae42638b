// One element of each row: selectScalarFromRows and updateScalarInRows.
#include "../slice/operation.hpp"

#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using poputil::templateVertex;

namespace {

void check(const char *function, const Tensor &params, const Tensor &indices, const DebugContext &debugContext) {
  const auto fail = [&](const std::string &why) {
    throw poputil::poplibs_error(std::string("popops::") + function + " '" + debugContext.getPathName() + "': " + why);
  };
  if (params.rank() != 2 || indices.rank() != 1 || params.dim(0) != indices.dim(0))
    fail("params " + params.shapeToString() + " and indices " + indices.shapeToString() + " do not fit");
  if (params.elementType() != FLOAT && params.elementType() != HALF)
    fail("params are float or half, not " + params.elementType().toString());
  if (indices.elementType() != UNSIGNED_INT)
    fail("indices are unsigned int, not " + indices.elementType().toString());
}

// Rows of params are the columns of the table, so that a group is a set of rows and a part a piece of each.
struct Pieces {
  Tensor table;
  slice::Layout layout;
  bool isCopy = false;
};

Pieces piecesOf(Graph &graph, const Tensor &params, program::Sequence &prog, const DebugContext &debugContext) {
  Pieces pieces{params.transpose(), {}, false};
  std::optional<slice::Layout> layout = slice::groupsOf(graph, slice::rectanglesOf(graph, pieces.table));
  if (!layout) {
    const Tensor even = slice::createEvenTable(graph, params.elementType(), params.dim(1), params.dim(0), debugContext);
    prog.add(program::Copy(pieces.table, even, false, debugContext));
    layout = slice::groupsOf(graph, slice::rectanglesOf(graph, even));
    pieces = {even, {}, true};
  }
  pieces.layout = *layout;
  return pieces;
}

VertexRef addPiece(Graph &graph, ComputeSet cs, const char *name, const Pieces &pieces, const slice::Group &group,
                   const slice::Part &part, const Tensor &indices) {
  const Tensor piece = pieces.table.slice(part.rows).slice(group.cols, 1).flatten();
  const VertexRef v = graph.addVertex(cs, templateVertex(name, piece.elementType()),
                                      {{"table", piece}, {"indices", indices.slice(group.cols)}});
  graph.setInitialValue(v["firstCol"], part.rows.begin());
  graph.setInitialValue(v["width"], pieces.table.dim(0));
  graph.setTileMapping(v, part.tile);
  return v;
}

} // namespace

Tensor selectScalarFromRows(Graph &graph, const Tensor &params, const Tensor &indices, program::Sequence &prog,
                            const DebugContext &debugContext) {
  check("selectScalarFromRows", params, indices, debugContext);
  const DebugContext inner(debugContext, "selectScalarFromRows");
  const Type type = params.elementType();
  if (params.numElements() == 0)
    throw poputil::poplibs_error("popops::selectScalarFromRows '" + debugContext.getPathName() +
                                 "': there is nothing to select from in " + params.shapeToString());
  const Pieces pieces = piecesOf(graph, params, prog, inner);
  const Tensor out = graph.addVariable(type, {params.dim(0)}, {inner, "out"});
  const ComputeSet select = graph.addComputeSet({inner, "select"}), combine = graph.addComputeSet({inner, "combine"});
  const Type bits = slice::bitsOf(graph, type);
  for (const slice::Group &group : pieces.layout) {
    const Tensor result = out.slice(group.cols);
    graph.setTileMapping(result, group.parts.front().tile);
    if (group.parts.size() == 1) {
      const VertexRef v =
          addPiece(graph, select, "popops::SelectFromRows", pieces, group, group.parts.front(), indices);
      graph.connect(v["out"], result);
      continue;
    }
    const Tensor found = graph.addVariable(type, {group.parts.size(), group.cols.size()}, {inner, "parts"});
    for (std::size_t p = 0; p < group.parts.size(); ++p) {
      graph.setTileMapping(found[p], group.parts[p].tile);
      graph.connect(addPiece(graph, select, "popops::SelectFromRows", pieces, group, group.parts[p], indices)["out"],
                    found[p]);
    }
    const VertexRef v = graph.addVertex(combine, templateVertex("popops::CombineSlices", bits),
                                        {{"parts", found.reinterpret(bits)}, {"out", result.reinterpret(bits)}});
    graph.setTileMapping(v, group.parts.front().tile);
  }
  prog.add(program::Execute(select, inner));
  prog.add(program::Execute(combine, inner));
  return out;
}

void updateScalarInRows(Graph &graph, const Tensor &params, const Tensor &indices, program::Sequence &program,
                        const DebugContext &debugContext) {
  check("updateScalarInRows", params, indices, debugContext);
  if (params.numElements() == 0)
    return;
  const DebugContext inner(debugContext, "updateScalarInRows");
  const Pieces pieces = piecesOf(graph, params, program, inner);
  const ComputeSet cs = graph.addComputeSet(inner);
  for (const slice::Group &group : pieces.layout)
    for (const slice::Part &part : group.parts)
      addPiece(graph, cs, "popops::DecrementInRows", pieces, group, part, indices);
  program.add(program::Execute(cs, inner));
  if (pieces.isCopy)
    program.add(program::Copy(pieces.table, params.transpose(), false, inner));
}

} // namespace popops
