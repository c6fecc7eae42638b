// What LSTM and GRU are built of.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace popnn::rnn::internal {

[[noreturn]] void fail(const poplar::DebugContext &dc, const std::string &what);

struct Options {
  poplar::OptionFlags matMul;
  poplar::Type accumulators; ///< of the gradients of the weights
  bool preCalcWeights = false;
};
Options parseOptions(const poplar::OptionFlags &flags, const poplar::Type &dataType);

/// Throws poputil::poplibs_error unless the tensor has this type and shape.
void require(const poplar::DebugContext &dc, const char *name, const poplar::Tensor &t, const poplar::Type &type,
             const std::vector<std::size_t> &shape);
/// Throws poputil::poplibs_error for a non-linearity that works on more than one element.
void requireElementWise(const poplar::DebugContext &dc, NonLinearityType type);
/// Throws poputil::poplibs_error also for those whose gradient needs more than the result.
void requireGradient(const poplar::DebugContext &dc, NonLinearityType type);

/// What floating-point operations are counted from: elements of the states of all steps, and operations of the products
/// of the input and of the output with the weights of so many units.
struct Counts {
  std::uint64_t states, input, output;
  Counts(const RnnParams &p, std::uint64_t units)
      : states(p.maxTimeSteps * p.batchSize * p.layerSizes[1]), input(2 * units * states * p.layerSizes[0]),
        output(2 * units * states * p.layerSizes[1]) {}
};

/// [units, a, n] as the matrix [a, units * n], and back.
poplar::Tensor asMatrix(const poplar::Tensor &units);
poplar::Tensor asUnits(const poplar::Tensor &matrix, std::size_t units);
/// The units order[0], order[1], ... of `t`; and the other way round.
poplar::Tensor inOrder(const poplar::Tensor &t, const std::vector<unsigned> &order);
std::vector<unsigned> inverse(const std::vector<unsigned> &order);
/// Tensors of one shape under each other: a new first dimension.
poplar::Tensor stack(const std::vector<poplar::Tensor> &tensors);

/// A variable for `steps` tensors, each mapped as `like` is: [steps, shape of like...].
poplar::Tensor createSteps(poplar::Graph &graph, const poplar::Tensor &like, std::size_t steps,
                           const poplar::DebugContext &dc);
/// All steps of a product of the whole sequence, [steps * batch, n], laid out to be taken one by one.
poplar::Tensor asSteps(poplar::Graph &graph, const poplar::Tensor &product, std::size_t steps,
                       poplar::program::Sequence &prog, const poplar::DebugContext &dc);

/// One step of the loop over time.
struct Step {
  poplar::Tensor index; ///< UNSIGNED_INT {1}
  poplar::Tensor isOn;  ///< BOOL [batch or 1, 1]: whether the step counts; not valid if all do
};
using StepBody = std::function<void(const Step &, poplar::program::Sequence &)>;

/// A loop over all steps, the last one first if `backwards`.
poplar::program::Sequence forEachStep(poplar::Graph &graph, const RnnParams &params, bool backwards,
                                      const StepBody &body, const poplar::DebugContext &dc);

poplar::Tensor take(poplar::Graph &graph, const poplar::Tensor &steps, const Step &step,
                    poplar::program::Sequence &prog, const poplar::DebugContext &dc);
void put(poplar::Graph &graph, const poplar::Tensor &steps, const poplar::Tensor &value, const Step &step,
         poplar::program::Sequence &prog, const poplar::DebugContext &dc);

/// `value` where the step counts, and `otherwise`, or zero, where it does not.
poplar::Tensor whereOn(poplar::Graph &graph, const Step &step, const poplar::Tensor &value,
                       const poplar::Tensor &otherwise, poplar::program::Sequence &prog,
                       const poplar::DebugContext &dc);
poplar::Tensor zeroWhereOff(poplar::Graph &graph, const Step &step, const poplar::Tensor &value,
                            poplar::program::Sequence &prog, const poplar::DebugContext &dc);

/// A copy of `t`, or zeros like `like` if `t` is not valid.
poplar::Tensor copyOrZeros(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &like,
                           poplar::program::Sequence &prog, const poplar::DebugContext &dc);

} // namespace popnn::rnn::internal
