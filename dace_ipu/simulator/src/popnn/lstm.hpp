// What forward and backward pass of the LSTM share.
#pragma once

#include "rnn.hpp"

#include <popnn/Lstm.hpp>

namespace popnn::lstm::internal {

/// What is kept of a step for the backward pass, [values, batch, output size].
enum Kept { Forget, Input, Candidate, Output, Tanh, PreviousCell, Hidden };
constexpr std::size_t units = BASIC_LSTM_CELL_NUM_UNITS;

/// Throws poputil::poplibs_error if the weights, the state or the input do not fit.
void check(const poplar::DebugContext &dc, const LstmParams &params, const LstmState &state, const LstmWeights &weights,
           const poplar::Tensor &in);
/// Position p of weights and biases holds the unit userOrder[p].
std::vector<unsigned> userOrder(const LstmParams &params);
/// [input size + output size, 4 * output size], units in the order of the enumeration.
poplar::Tensor matrixOf(const LstmParams &params, const LstmWeights &weights);
/// The rows of it that belong to the input are left out where nothing needs them.
poplar::Tensor outputRowsOf(const LstmParams &params, const LstmWeights &weights);

} // namespace popnn::lstm::internal
