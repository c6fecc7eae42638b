// What recurrent layers have in common: sizes, and tensors that are sliced along time.
#ifndef popnn_Rnn_hpp
#define popnn_Rnn_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popnn {
namespace rnn {

/// A layer that reads [maxTimeSteps, batchSize, layerSizes[0]] and has a state of [batchSize, layerSizes[1]].
///
/// `varTimeSteps`, UNSIGNED_INT {1} or {batchSize}, says how many steps count, for all sequences or for each. After
/// them a sequence keeps its state, and its outputs are zero.
///
/// Throws poputil::poplibs_error if there are no two layer sizes, a size is zero, or varTimeSteps does not fit.
struct RnnParams {
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t maxTimeSteps;
  std::size_t timeSteps; ///< the same as maxTimeSteps
  poplar::Tensor varTimeSteps;
  std::vector<std::size_t> layerSizes;

  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps, std::vector<std::size_t> layerSizes);
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps, const poplar::Tensor &varTimeSteps,
            std::vector<std::size_t> layerSizes);

  std::size_t getMaxShards(const poplar::Graph &graph) const;
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;
  bool variableTimeSteps() const;
  bool batchVariableTimeSteps() const;
};

/// [multiple, batchSize, size of the output or the input]: all are spread in the same way. `numShards` has no effect.
poplar::Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput, unsigned multiple,
                                  unsigned numShards, const poplar::DebugContext &debugContext = {});

/// [maxTimeSteps, batchSize, size], of which every step is spread over the tiles in the same way.
poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size, unsigned numShards,
                                     const poplar::DebugContext &debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
/// [multiple * maxTimeSteps, batchSize, size of the output].
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});

} // namespace rnn
} // namespace popnn

#endif
