// Losses, and what is best in a row.
#ifndef popnn_Loss_hpp
#define popnn_Loss_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

/// A row with this label has a loss and gradients of zero.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

/// The loss of every row of `modelOutputs` [batch, classes] (FLOAT or HALF) for labels `expected` [batch] (INT or
/// UNSIGNED_INT), into `loss` [batch], and its gradient into `deltas` [batch, classes].
///
/// SUM_SQUARED_LOSS: deltas = outputs - one for the label, loss = half the sum of their squares. CROSS_ENTROPY_LOSS:
/// the outputs are probabilities times `modelOutputScaling` (1); deltas = (probability - one for the label) *
/// `deltasScale` (1), loss = -log of the label's probability. The number of rows whose largest element is that of the
/// label is added to `numCorrect`, one UNSIGNED_INT. Throws poputil::poplibs_error for shapes and types that do not fit.
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling, const poplar::Tensor &numCorrect,
                                  LossType lossType, const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                      const poplar::Tensor &expected, const poplar::Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext = {});

/// The place (UNSIGNED_INT) of the largest or smallest element of every row of `input` [batch, classes] of FLOAT, HALF,
/// INT or UNSIGNED_INT; the first of several.
poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// The element itself, of the type of the input, and its place.
std::pair<poplar::Tensor, poplar::Tensor> maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input,
                                                       poplar::program::Sequence &prog,
                                                       const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input,
                                                       poplar::program::Sequence &prog,
                                                       const poplar::DebugContext &debugContext = {});

/// The K largest elements of every row [batch, K], and their places in `indices` [batch, K], UNSIGNED_INT. They are in
/// descending order whether `sort` is set or not.
poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices, unsigned K, bool sort,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
