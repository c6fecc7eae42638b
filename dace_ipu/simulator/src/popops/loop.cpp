#include "estimators.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>

#include <limits>

namespace popops {

using namespace poplar;
using poputil::poplibs_error;

namespace {

[[noreturn]] void fail(const char *function, const DebugContext &dc, const std::string &what) {
  throw poplibs_error(std::string("popops::") + function + " (" + dc.getPathName() + "): " + what);
}

} // namespace

program::Sequence countedLoop(Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                              const CountedLoopBodyType &body, const DebugContext &debugContext) {
  if (step == 0)
    fail("countedLoop", debugContext, "the step must not be zero");
  if (begin >= end || end > std::numeric_limits<unsigned>::max())
    fail("countedLoop", debugContext,
         "no loop from " + std::to_string(begin) + " to " + std::to_string(end) + ": begin must be less than end");
  const Tensor counter = graph.addVariable(UNSIGNED_INT, {1}, {debugContext, "Counter"});
  const Tensor first = graph.addConstant(UNSIGNED_INT, {1}, begin, {debugContext, "Begin"});
  graph.setTileMapping(counter, 0);
  graph.setTileMapping(first, 0);
  program::Sequence once(debugContext);
  once.add(body(counter));
  addInPlace(graph, counter, static_cast<unsigned>(step), once, {debugContext, "Step"});
  program::Sequence prog(debugContext);
  prog.add(program::Copy(first, counter));
  prog.add(program::Repeat(static_cast<unsigned>((end - begin + step - 1) / step), once, debugContext));
  return prog;
}

program::Sequence countedLoop(Graph &graph, std::size_t count, const CountedLoopBodyType &body,
                              const DebugContext &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Tensor addForLoopCounterVertex(Graph &graph, const Tensor &count, const Tensor &countLimit, int countStep,
                               unsigned tile, program::Sequence &prog, const DebugContext &debugContext) {
  const Tensor predicate = graph.addVariable(UNSIGNED_INT, {}, {debugContext, "Predicate"});
  graph.setTileMapping(predicate, tile);
  const ComputeSet cs = graph.addComputeSet({debugContext, "ForLoopCounter"});
  const VertexRef v =
      graph.addVertex(cs, poputil::templateVertex("popops::ForLoopCounter", count.elementType()),
                      {{"count", count.reshape({})},
                       {"limit", countLimit.reshape({})},
                       {"comparisonResult", predicate}});
  graph.setTileMapping(v, tile);
  if (count.elementType() == INT)
    graph.setInitialValue(v["increment"], countStep);
  else
    graph.setInitialValue(v["increment"], static_cast<unsigned>(countStep));
  prog.add(program::Execute(cs, debugContext));
  return predicate;
}

program::Sequence countedForLoop(Graph &graph, const Tensor &count, int initialCount, const Tensor &countLimit,
                                 int countStep, const program::Program &body, const DebugContext &debugContext) {
  const Type type = count.elementType();
  if (type != countLimit.elementType() || (type != INT && type != UNSIGNED_INT))
    fail("countedForLoop", debugContext,
         "counter and limit have types " + type.toString() + " and " + countLimit.elementType().toString() +
             "; both must be int, or unsigned int");
  if (count.numElements() != 1 || countLimit.numElements() != 1)
    fail("countedForLoop", debugContext, "counter and limit must be single elements");
  // One step before the first count: the condition counts before the body runs.
  const unsigned before = static_cast<unsigned>(initialCount) - static_cast<unsigned>(countStep);
  const Tensor first = type == INT ? graph.addConstant(INT, {}, static_cast<int>(before))
                                   : graph.addConstant(UNSIGNED_INT, {}, before);
  graph.setTileMapping(first, 0);
  program::Sequence prog(debugContext), condition;
  prog.add(program::Copy(first, count.reshape({})));
  const Tensor predicate = addForLoopCounterVertex(graph, count, countLimit, countStep, 0, condition, debugContext);
  prog.add(program::RepeatWhileTrue(condition, predicate, body, debugContext));
  return prog;
}

program::Sequence countedForLoop(Graph &graph, int initialCount, const Tensor &countLimit, int countStep,
                                 const program::Program &body, const DebugContext &debugContext) {
  const Tensor count = graph.addVariable(countLimit.elementType(), {}, {debugContext, "Counter"});
  graph.setTileMapping(count, 0);
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body, debugContext);
}

// Source: PopLibs, popopsCycleEstimators.cpp.
poputil::internal::Estimators loopEstimators() {
  return {{"popops::ForLoopCounter",
           [](const VertexIntrospector &, const Target &) -> VertexPerfEstimate { return 43; }}};
}

} // namespace popops
