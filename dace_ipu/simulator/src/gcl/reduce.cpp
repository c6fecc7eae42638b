#include "reduce.hpp"

#include "../poputil/library_codelets.hpp"

#include <popops/codelets.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

namespace gcl {

using namespace poplar;

std::ostream &operator<<(std::ostream &os, const CommGroupType &type) {
  static const char *const names[] = {"ALL", "CONSECUTIVE", "ORTHOGONAL"};
  return os << names[static_cast<int>(type)];
}

namespace {

const char *nameOf(CollectiveOperator op) {
  static const char *const names[] = {"ADD",         "MEAN",       "MUL",        "MIN",  "MAX",
                                      "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOCAL"};
  return names[static_cast<int>(op)];
}

// Two loads for a pair of floats, or four halves, an operation each: 3 slots; 7 for other types. Not known from GCL.
VertexPerfEstimate estimateReduce(const VertexIntrospector &vertex, const Target &) {
  constexpr std::uint64_t workers = 6;
  const std::string &type = vertex.vertexType();
  const bool isFloat = type.find("<float>") != std::string::npos, isHalf = type.find("<half>") != std::string::npos;
  const std::uint64_t width = isFloat ? 2 : isHalf ? 4 : 1, slots = isFloat || isHalf ? 3 : 7;
  const std::uint64_t vectors = (vertex.getFieldInfo("out").size() + width * workers - 1) / (width * workers);
  return 11 + workers * (20 + vectors * slots * vertex.getFieldInfo("parts").size());
}

VertexPerfEstimate estimatePlace(const VertexIntrospector &, const Target &) { return 7 + 2 * 280; } // two divisions

} // namespace

std::ostream &operator<<(std::ostream &os, const CollectiveOperator &op) { return os << nameOf(op); }

void addCodelets(Graph &graph) {
  if (graph.hasCodelet("gcl::PlaceInGroup"))
    return;
  popops::addCodelets(graph);
  poputil::internal::addLibraryCodelets(
      graph, "gcl",
      {{"gcl::ReduceParts", estimateReduce}, {"gcl::ReduceBools", estimateReduce}, {"gcl::PlaceInGroup", estimatePlace}});
}

void fail(const std::string &function, const DebugContext &debugContext, const std::string &why) {
  const std::string path = debugContext.getPathName();
  throw poputil::poplibs_error("gcl::" + function + (path.empty() ? "" : " '" + path + "'") + ": " + why);
}

namespace {

bool isLogical(CollectiveOperator op) {
  return op == CollectiveOperator::LOGICAL_AND || op == CollectiveOperator::LOGICAL_OR;
}

void checkType(const Type &type, CollectiveOperator op, const DebugContext &debugContext) {
  const bool isNumber = type == FLOAT || type == HALF || type == INT || type == UNSIGNED_INT;
  if (isLogical(op) ? type != BOOL : !isNumber)
    fail("collective", debugContext, std::string(nameOf(op)) + " is not supported for " + type.toString());
}

unsigned numberOf(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::MUL:
    return 1;
  case CollectiveOperator::MIN:
    return 2;
  case CollectiveOperator::MAX:
    return 3;
  case CollectiveOperator::SQUARE_ADD:
    return 4;
  default:
    return 0;
  }
}

} // namespace

void reduceRows(Graph &graph, const Tensor &parts, const Tensor &out, CollectiveOperator op, program::Sequence &prog,
                const DebugContext &debugContext) {
  const Type type = parts.elementType();
  checkType(type, op, debugContext);
  addCodelets(graph);
  const ComputeSet cs = graph.addComputeSet({debugContext, "reduce"});
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(out);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile]) {
      const std::string name = isLogical(op) ? "gcl::ReduceBools" : poputil::templateVertex("gcl::ReduceParts", type);
      const VertexRef v =
          graph.addVertex(cs, name, {{"parts", parts.slice(interval, 1)}, {"out", out.slice(interval)}});
      if (isLogical(op)) {
        graph.setInitialValue(v["any"], op == CollectiveOperator::LOGICAL_OR);
      } else {
        graph.setInitialValue(v["operation"], numberOf(op));
        graph.setInitialValue(v["scale"], op == CollectiveOperator::MEAN ? 1.0 / static_cast<double>(parts.dim(0)) : 1.0);
      }
      graph.setTileMapping(v, tile);
    }
  prog.add(program::Execute(cs, debugContext));
}

} // namespace gcl
