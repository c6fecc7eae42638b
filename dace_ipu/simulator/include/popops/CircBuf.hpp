// Circular buffers of tensors.
#ifndef popops_CircBuf_hpp
#define popops_CircBuf_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// The last `size` tensors of one shape, spread over all tiles in grains of four elements.
class CircBuf {
public:
  CircBuf(poplar::Graph &graph, const poplar::Type &dataType, unsigned size, const std::vector<std::size_t> &shape,
          const poplar::DebugContext &debugContext = {});

  /// A copy of the tensor added `i` additions ago. Throws poputil::poplibs_error if `i` is not less than the size.
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq, const poplar::DebugContext &debugContext = {});
  /// Adds a tensor in place of the oldest. Throws poputil::poplibs_error for another shape or type.
  void add(poplar::Tensor t, poplar::program::Sequence &seq, const poplar::DebugContext &debugContext = {});

  /// Where the last tensor was added: UNSIGNED_INT {1}.
  poplar::Tensor getIndex() const;
  unsigned size() const;
  /// The mapping of a tensor in the buffer, padded to whole grains.
  poplar::Graph::TileToTensorMapping getTileMapping();

private:
  poplar::Graph &graph;
  unsigned size_;
  poplar::Tensor index;
  std::vector<std::size_t> shape;
  unsigned padElements; // the buffer holds whole grains
  poplar::Tensor hist;  // {grains, size, grain}
};

} // namespace popops

#endif
