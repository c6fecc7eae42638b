#include "triangular.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cstdlib>

namespace poplin::internal {

using namespace poplar;
using namespace poplar::program;

Tensor asSquares(const char *what, const DebugContext &dc, const Tensor &t) {
  const unsigned rank = t.rank();
  const bool isFloating = t.elementType() == FLOAT || t.elementType() == HALF;
  if (rank < 2 || t.dim(rank - 1) != t.dim(rank - 2) || !isFloating)
    throw poputil::poplibs_error(std::string(what) + " '" + dc.getPathName() + "': " + t.elementType().toString() +
                                 t.shapeToString() + " is not square, or not of type float or half");
  return rank == 2 ? t.expand({0}) : t.flatten(0, rank - 2);
}

std::size_t takeBlockSize(OptionFlags &options) {
  const auto found = options.find("blockSize");
  if (found == options.end())
    return 64;
  char *end = nullptr;
  const unsigned long size = std::strtoul(found->second.c_str(), &end, 10);
  if (size == 0 || *end != 0)
    throw invalid_option("blockSize is '" + found->second + "': it must be a positive number");
  OptionFlags rest;
  for (const auto &option : options)
    if (option.first != "blockSize")
      rest.set(option.first, option.second);
  options = rest;
  return size;
}

Tensor createBlocks(Graph &graph, const Type &type, std::size_t batch, std::size_t n, const DebugContext &dc) {
  const Tensor t = graph.addVariable(type, {batch, n, n}, dc);
  for (std::size_t i = 0; i < batch; ++i)
    graph.setTileMapping(t[i], static_cast<unsigned>(i % graph.getTarget().getNumTiles()));
  return t;
}

namespace {

// A vertex for each block, on the block's tile.
template <typename F>
void addVertices(Graph &graph, const char *vertex, const Tensor &blocks, Sequence &prog, const DebugContext &dc,
                 F connect) {
  const ComputeSet cs = graph.addComputeSet(dc);
  for (std::size_t i = 0; i < blocks.dim(0); ++i) {
    const VertexRef v = graph.addVertex(cs, poputil::templateVertex(vertex, blocks.elementType()));
    graph.connect(v["block"], blocks[i].flatten());
    graph.setInitialValue(v["size"], blocks.dim(1));
    connect(v, i);
    graph.setTileMapping(v, static_cast<unsigned>(i % graph.getTarget().getNumTiles()));
  }
  prog.add(Execute(cs, dc));
}

} // namespace

void factorBlocks(Graph &graph, const Tensor &blocks, Sequence &prog, const DebugContext &dc) {
  addVertices(graph, "poplin::CholeskyBlock", blocks, prog, {dc, "CholeskyBlock"},
              [](const VertexRef &, std::size_t) {});
}

Tensor invertBlocks(Graph &graph, const Tensor &blocks, bool unitDiagonal, Sequence &prog, const DebugContext &dc) {
  const Tensor inverse = createBlocks(graph, blocks.elementType(), blocks.dim(0), blocks.dim(1), {dc, "inverse"});
  addVertices(graph, "poplin::InverseTriangle", blocks, prog, {dc, "InverseTriangle"},
              [&](const VertexRef &v, std::size_t i) {
                graph.connect(v["inverse"], inverse[i].flatten());
                graph.setInitialValue(v["unitDiagonal"], unitDiagonal);
              });
  return inverse;
}

} // namespace poplin::internal
