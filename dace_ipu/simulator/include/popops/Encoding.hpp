// Indices as vectors, and ranges.
#ifndef popops_Encoding_hpp
#define popops_Encoding_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>

namespace popops {

/// Sets row i of `encoded` {n, width} to `on` (1) at column indices[i] and to `off` (0) elsewhere; a row whose index is
/// MASKED_LABEL_CODE or beyond the width has `off` only.
///
/// `indices` {n} is of INT or UNSIGNED_INT; `on` and `off` have one element of the type of `encoded`, which may be any.
/// Throws poputil::poplibs_error for other shapes and types.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog, const poplar::Tensor &on, const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

/// Sets t[i] to startInteger + i. The tensor has rank 1 and is of UNSIGNED_INT, or INT for the second form.
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
