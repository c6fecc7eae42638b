// Copies of sequences of rows.
#ifndef popops_SequenceSlice_hpp
#define popops_SequenceSlice_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// tOut[tOutOffset[i] : tOutOffset[i] + tN[i]] = tIn[tInOffset[i] : tInOffset[i] + tN[i]] for every i, in order. What would
/// lie outside of either is left out. With `zeroUnused` rows of tOut that nothing is copied to become zero.
///
/// tIn and tOut have rank 2 or more, one type and the same number of elements in a row; the others are UNSIGNED_INT {n}.
/// Throws poplar::graph_connection_error, as PopLibs does, if they do not fit. Every tile works on whole columns.
void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &tIn, const poplar::Tensor &tOut,
                   const poplar::Tensor &tN, const poplar::Tensor &tInOffset, const poplar::Tensor &tOutOffset,
                   bool zeroUnused, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
