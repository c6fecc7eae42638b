// What forward and backward pass of the GRU share.
#pragma once

#include "rnn.hpp"

#include <popnn/Gru.hpp>

namespace popnn::gru::internal {

constexpr std::size_t units = BASIC_GRU_CELL_NUM_UNITS;

/// What is kept of a step for the backward pass, [values, batch, output size]. `Update` is before the attention;
/// `Recurrent`, h U + b1 of the candidate, is there with resetAfter; the output of the step follows if it is not
/// returned.
enum Kept { Reset, Update, Candidate, Previous, Recurrent };
std::size_t numKept(const GruParams &params);
/// Where the output of the step is kept.
std::size_t hiddenKept(const GruParams &params);

/// Throws poputil::poplibs_error if the weights, the state, the input or, if valid, the attention do not fit.
void check(const poplar::DebugContext &dc, const GruParams &params, const poplar::Tensor &state,
           const GruWeights &weights, const poplar::Tensor &in, const poplar::Tensor &attention);
GruParams withSteps(const GruParams &params, const poplar::Tensor &realTimeSteps);
/// Position p of weights and biases holds the unit userOrder[p].
std::vector<unsigned> userOrder(const GruParams &params);

/// The matrices of a step, units in the order of the enumeration.
struct Matrices {
  poplar::Tensor first;  ///< [in + out, 2 * out] of both gates; with resetAfter [in, 3 * out], of the input
  poplar::Tensor second; ///< [in + out, out] of the candidate; with resetAfter [out, 3 * out], of the output
};
Matrices matricesOf(const GruParams &params, const GruWeights &weights);

/// One minus the attention of a step, [batch, 1]; not valid without attention.
poplar::Tensor inattention(poplar::Graph &graph, const poplar::Tensor &attention, const rnn::internal::Step &step,
                           poplar::program::Sequence &prog, const poplar::DebugContext &dc);

} // namespace popnn::gru::internal
