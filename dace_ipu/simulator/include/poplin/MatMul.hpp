// Matrix products.
#ifndef poplin_MatMul_hpp
#define poplin_MatMul_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>

#include <iosfwd>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

// Shapes: A is [m, k], B is [k, n], the product [m, n]; the grouped forms have a leading dimension of independent
// products. The element type of A and B is FLOAT or HALF; the output type is FLOAT or HALF and defaults to that of A.
// Products are summed in `partialsType`.
//
// How a product is cut over the tiles is planned: the estimated cycles are minimised as long as temporary memory stays
// below `availableMemoryProportion` of a tile. Operands in the layout of the plan (createMatMulInputLHS and ...RHS) are used as
// they are; others are copied into it first.
//
// Options: availableMemoryProportion (0.6), partialsType ("float" or "half"), fullyConnectedPass (NONE, INFERENCE_FWD,
// TRAINING_FWD, TRAINING_BWD, TRAINING_WU; no effect), inputRHSIsPreArranged (false; no effect: the layout is recognised),
// use128BitConvUnitLoad, enableMultiStageReduce, enableFastReduce, remapOutputTensor, planConstraints (no effect).
//
// Errors: poputil::poplibs_error for shapes that do not fit and types that cannot be multiplied; poplar::invalid_option.
namespace poplin {

namespace matmul {
class PlanningCache : public poplin::PlanningCache {};
} // namespace matmul

struct MatMulParams {
  poplar::Type inputType;
  poplar::Type outputType;
  std::vector<std::size_t> aShape;
  std::vector<std::size_t> bShape;
  friend bool operator<(const MatMulParams &a, const MatMulParams &b) {
    return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
           std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
  }
};
using MatMulPlanParams = std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *>;
using MatMulToConvOptions = std::map<const poplar::OptionFlags *, poplar::OptionFlags>;

/// A times B.
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog, const poplar::Type &outputType,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Writes A times B to `out`.
void matMulWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, poplar::Tensor &out,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Adds k times A times B to C.
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
               const poplar::Tensor &B, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// `k` holds one FLOAT or HALF element.
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k, const poplar::Tensor &A,
               const poplar::Tensor &B, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void matMulGroupedWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::Tensor &out, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k, const poplar::Tensor &A,
                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);

/// Operands and results of shape `aShape`, `bShape` or that of the product, laid out and mapped as the plan wants them.
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape, const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape, const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph &graph, const poplar::Type &inputType, const poplar::Type &outputType,
                                  const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                  PlanningCache *cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph &graph, const poplar::Type &dataType,
                                  const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                  PlanningCache *cache = nullptr);
poplar::Tensor createMatMulGroupedInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createMatMulGroupedInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createMatMulGroupedOutput(poplar::Graph &graph, const poplar::Type &inputType,
                                         const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                         const std::vector<std::size_t> &bShape,
                                         const poplar::DebugContext &debugContext,
                                         const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Returns B, or a copy of it in the layout of the plan if it has another.
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::Type &outputType, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulGroupedInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                               const poplar::Tensor &B, poplar::program::Sequence &prog,
                                               const poplar::Type &outputType,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// The two inner dimensions of a [g, r, c] tensor exchanged: a view.
poplar::Tensor transposeGroupedMatrix(const poplar::Tensor &A);
/// The shapes of both operands of the transposed product: that of B, then that of A, each transposed.
std::vector<std::size_t> transposeGroupedMatrixShape(const std::vector<std::size_t> &shape);

/// Prints the plan: partition, vertex, estimated cycles and memory.
void matMulReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                      const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                      const std::vector<std::size_t> &bShape, const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);
void matMulGroupedReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                             const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
/// Plans products and keeps the plans in `cache`.
void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache);

} // namespace poplin

#endif
