#include <poplin/MatMul.hpp>

#include "cache.hpp"
#include "product.hpp"

#include <popops/Fill.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>
#include <sstream>

namespace poplin {

using namespace poplar;
using namespace poplar::program;
using internal::Plan;
using internal::Product;

namespace {

using Shape = std::vector<std::size_t>;

std::string toString(const Shape &shape) {
  std::ostringstream text;
  for (std::size_t i = 0; i < shape.size(); ++i)
    text << (i ? ", " : "{") << shape[i];
  text << (shape.empty() ? "{}" : "}");
  return text.str();
}

[[noreturn]] void fail(const DebugContext &dc, const std::string &what) {
  const std::string name = dc.getPathName();
  throw poputil::poplibs_error("matrix product" + (name.empty() ? "" : " '" + name + "'") + ": " + what);
}

void checkTypes(const DebugContext &dc, const Type &input, const Type &output) {
  for (const Type &type : {input, output})
    if (type != FLOAT && type != HALF)
      fail(dc, "the type " + type.toString() + " is not supported yet; there are float and half");
}

Product productOf(const DebugContext &dc, const Type &input, const Type &output, const Shape &a, const Shape &b) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1])
    fail(dc, "shapes " + toString(a) + " and " + toString(b) + " do not fit: {g, m, k} and {g, k, n} are needed");
  checkTypes(dc, input, output);
  return {{a[0], a[1], a[2], b[2]}, input, output};
}

// {1, r, c} for {r, c}.
Shape grouped(const DebugContext &dc, const Shape &shape) {
  if (shape.size() != 2)
    fail(dc, "an operand of shape " + toString(shape) + " is no matrix");
  return {1, shape[0], shape[1]};
}

Tensor grouped(const DebugContext &dc, const Tensor &t) { return t.reshape(grouped(dc, t.shape())); }

bool isEmpty(const Product &product) {
  const internal::ProductSize &s = product.size;
  return s.groups == 0 || s.rows == 0 || s.depth == 0 || s.columns == 0;
}

Tensor createLinear(Graph &graph, const Type &type, const Shape &shape, const DebugContext &dc) {
  const Tensor t = graph.addVariable(type, shape, dc);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

// A product and its plan. Products of sizes with a zero have none: their operands are spread linearly.
struct Planned {
  Product product;
  Plan plan;
  bool empty;

  Planned(const Graph &graph, const Product &p, const OptionFlags &flags, PlanningCache *cache)
      : product(p), empty(isEmpty(p)) {
    const internal::Options options = internal::parseOptions(flags);
    if (!empty)
      plan = internal::planOf(graph.getTarget(), p, options, cache);
  }

  Tensor createC(Graph &graph, const DebugContext &dc) const {
    const internal::ProductSize &s = product.size;
    return empty ? createLinear(graph, product.output, {s.groups, s.rows, s.columns}, dc)
                 : internal::createC(graph, plan, dc);
  }
};

void checkPair(const DebugContext &dc, const Tensor &a, const Tensor &b) {
  if (a.elementType() != b.elementType())
    fail(dc, "the operands have different types, " + a.elementType().toString() + " and " +
                 b.elementType().toString());
}

void checkOutput(const DebugContext &dc, const Tensor &a, const Tensor &b, const Tensor &c) {
  if (c.rank() != 3 || c.dim(0) != a.dim(0) || c.dim(1) != a.dim(1) || c.dim(2) != b.dim(2))
    fail(dc, "the result of " + a.shapeToString() + " and " + b.shapeToString() + " cannot have the shape " +
                 c.shapeToString());
  if (!c.isParallelWriteable())
    fail(dc, "the result contains constants or aliased elements");
}

// k as one element of type FLOAT. A sum of one partial is a cast.
Tensor asFloat(Graph &graph, const Tensor &k, Sequence &prog, const DebugContext &dc) {
  if (k.numElements() != 1 || (k.elementType() != FLOAT && k.elementType() != HALF))
    fail(dc, "the factor must be one element of type float or half, not " + k.elementType().toString() +
                 k.shapeToString());
  if (k.elementType() == FLOAT)
    return k.reshape({});
  const Tensor result = graph.addVariable(FLOAT, {1}, {dc, "k"});
  graph.setTileMapping(result, 0);
  const ComputeSet cs = graph.addComputeSet({dc, "Cast"});
  const VertexRef v = graph.addVertex(cs, poputil::templateVertex("poplin::ReduceAdd", FLOAT, HALF));
  graph.connect(v["out"], result);
  graph.connect(v["partials"], std::vector<Tensor>{k.flatten()});
  graph.setInitialValue(v["size"], 1);
  graph.setTileMapping(v, 0);
  prog.add(Execute(cs, {dc, "Cast"}));
  return result.reshape({});
}

} // namespace

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog, const Type &outputType,
                     const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  checkPair(dc, A, B);
  const Planned planned(graph, productOf(dc, A.elementType(), outputType, A.shape(), B.shape()), options, cache);
  const Tensor C = planned.createC(graph, {dc, "out"});
  if (planned.empty)
    popops::fill(graph, C, prog, 0, dc);
  else
    internal::multiply(graph, planned.plan, A, B, C, prog, dc);
  return C;
}

void matMulGroupedWithOutput(Graph &graph, const Tensor &A, const Tensor &B, Tensor &out, Sequence &prog,
                             const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  checkPair(dc, A, B);
  const Planned planned(graph, productOf(dc, A.elementType(), out.elementType(), A.shape(), B.shape()), options, cache);
  checkOutput(dc, A, B, out);
  if (planned.empty)
    popops::fill(graph, out, prog, 0, dc);
  else
    internal::multiply(graph, planned.plan, A, B, out, prog, dc);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A, const Tensor &B, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  checkPair(dc, A, B);
  const Planned planned(graph, productOf(dc, A.elementType(), C.elementType(), A.shape(), B.shape()), options, cache);
  checkOutput(dc, A, B, C);
  const Tensor scale = asFloat(graph, k, prog, dc);
  if (!planned.empty)
    internal::multiplyAccumulate(graph, planned.plan, A, B, C, scale, prog, dc);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  const Tensor factor = graph.addConstant(FLOAT, {}, k, {dc, "k"});
  graph.setTileMapping(factor, 0);
  matMulGroupedAcc(graph, C, factor, A, B, prog, dc, options, cache);
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog, const Type &outputType,
              const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  return matMulGrouped(graph, grouped(dc, A), grouped(dc, B), prog, outputType, dc, options, cache)[0];
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog, const DebugContext &dc,
              const OptionFlags &options, PlanningCache *cache) {
  return matMul(graph, A, B, prog, A.elementType(), dc, options, cache);
}

void matMulWithOutput(Graph &graph, const Tensor &A, const Tensor &B, Tensor &out, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  Tensor C = grouped(dc, out);
  matMulGroupedWithOutput(graph, grouped(dc, A), grouped(dc, B), C, prog, dc, options, cache);
}

void matMulAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B, Sequence &prog,
               const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  matMulGroupedAcc(graph, grouped(dc, C), k, grouped(dc, A), grouped(dc, B), prog, dc, options, cache);
}

void matMulAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A, const Tensor &B, Sequence &prog,
               const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  matMulGroupedAcc(graph, grouped(dc, C), k, grouped(dc, A), grouped(dc, B), prog, dc, options, cache);
}

Tensor createMatMulGroupedInputLHS(Graph &graph, const Type &inputType, const Type &outputType, const Shape &aShape,
                                   const Shape &bShape, const DebugContext &dc, const OptionFlags &options,
                                   PlanningCache *cache) {
  const Planned planned(graph, productOf(dc, inputType, outputType, aShape, bShape), options, cache);
  return planned.empty ? createLinear(graph, inputType, aShape, dc) : internal::createA(graph, planned.plan, dc);
}

Tensor createMatMulGroupedInputRHS(Graph &graph, const Type &inputType, const Type &outputType, const Shape &aShape,
                                   const Shape &bShape, const DebugContext &dc, const OptionFlags &options,
                                   PlanningCache *cache) {
  const Planned planned(graph, productOf(dc, inputType, outputType, aShape, bShape), options, cache);
  return planned.empty ? createLinear(graph, inputType, bShape, dc) : internal::createB(graph, planned.plan, dc);
}

Tensor createMatMulGroupedOutput(Graph &graph, const Type &inputType, const Type &outputType, const Shape &aShape,
                                 const Shape &bShape, const DebugContext &dc, const OptionFlags &options,
                                 PlanningCache *cache) {
  return Planned(graph, productOf(dc, inputType, outputType, aShape, bShape), options, cache).createC(graph, dc);
}

// The forms for single products.
#define SINGLE(NAME, GROUPED)                                                                                          \
  Tensor NAME(Graph &graph, const Type &inputType, const Type &outputType, const Shape &aShape, const Shape &bShape,   \
              const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {                              \
    return GROUPED(graph, inputType, outputType, grouped(dc, aShape), grouped(dc, bShape), dc, options, cache)[0];     \
  }                                                                                                                    \
  Tensor NAME(Graph &graph, const Type &dataType, const Shape &aShape, const Shape &bShape, const DebugContext &dc,    \
              const OptionFlags &options, PlanningCache *cache) {                                                      \
    return NAME(graph, dataType, dataType, aShape, bShape, dc, options, cache);                                        \
  }
SINGLE(createMatMulInputLHS, createMatMulGroupedInputLHS)
SINGLE(createMatMulInputRHS, createMatMulGroupedInputRHS)
SINGLE(createMatMulOutput, createMatMulGroupedOutput)
#undef SINGLE

Tensor preArrangeMatMulGroupedInputRHS(Graph &graph, const Shape &aShape, const Tensor &B, Sequence &prog,
                                       const Type &outputType, const DebugContext &dc, const OptionFlags &options,
                                       PlanningCache *cache) {
  const Planned planned(graph, productOf(dc, B.elementType(), outputType, aShape, B.shape()), options, cache);
  return planned.empty ? B : internal::arrangeB(graph, planned.plan, B, prog, {dc, "PreArrange"});
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B, Sequence &prog,
                                const Type &outputType, const DebugContext &dc, const OptionFlags &options,
                                PlanningCache *cache) {
  return preArrangeMatMulGroupedInputRHS(graph, grouped(dc, aShape), grouped(dc, B), prog, outputType, dc, options,
                                         cache)[0];
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B, Sequence &prog,
                                const DebugContext &dc, const OptionFlags &options, PlanningCache *cache) {
  return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), dc, options, cache);
}

Tensor transposeGroupedMatrix(const Tensor &A) {
  if (A.rank() != 3)
    throw poputil::poplibs_error("transposeGroupedMatrix: a tensor of shape " + A.shapeToString() +
                                 " is no group of matrices");
  return A.dimShuffle({0, 2, 1});
}

std::vector<std::size_t> transposeGroupedMatrixShape(const std::vector<std::size_t> &shape) {
  if (shape.size() != 3)
    throw poputil::poplibs_error("transposeGroupedMatrixShape: " + toString(shape) + " is no group of matrices");
  return {shape[0], shape[2], shape[1]};
}

void matMulGroupedReportPlan(std::ostream &out, const Graph &graph, const Type &inputType, const Type &outputType,
                             const Shape &aShape, const Shape &bShape, const OptionFlags &options,
                             PlanningCache *cache) {
  const Planned planned(graph, productOf({}, inputType, outputType, aShape, bShape), options, cache);
  if (planned.empty)
    out << "  nothing to compute\n";
  else
    out << planned.plan;
}

void matMulReportPlan(std::ostream &out, const Graph &graph, const Type &inputType, const Type &outputType,
                      const Shape &aShape, const Shape &bShape, const OptionFlags &options, PlanningCache *cache) {
  matMulGroupedReportPlan(out, graph, inputType, outputType, grouped({}, aShape), grouped({}, bShape), options, cache);
}

void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache) {
  for (const MatMulPlanParams &m : matmuls) {
    const MatMulParams &p = std::get<1>(m);
    const OptionFlags *flags = std::get<2>(m);
    const bool single = p.aShape.size() == 2;
    const Product product = productOf({}, p.inputType, p.outputType, single ? grouped({}, p.aShape) : p.aShape,
                                      single ? grouped({}, p.bShape) : p.bShape);
    if (!isEmpty(product))
      internal::planOf(*std::get<0>(m), product, internal::parseOptions(flags ? *flags : OptionFlags()), &cache);
  }
}

} // namespace poplin
