// Steps and connections that reading and updating share.
#pragma once

#include "operation.hpp"

namespace popops::slice {

/// Compute sets that run one after another; those that were never asked for do not exist.
class Steps {
public:
  Steps(poplar::Graph &graph, const poplar::DebugContext &debugContext) : graph_(graph), debugContext_(debugContext) {}
  poplar::ComputeSet &operator[](std::size_t i);
  void appendTo(poplar::program::Sequence &prog) const;

private:
  poplar::Graph &graph_;
  const poplar::DebugContext debugContext_;
  std::vector<std::vector<poplar::ComputeSet>> steps_; // none or one each
};

/// How many slices a tile may take at a time, if a slice has `bytes` there: an eighth of its memory.
std::size_t slicesAtATime(const poplar::Graph &graph, std::size_t bytes);

/// Sets the fields that all slicing vertices have.
void setWindow(poplar::Graph &graph, const poplar::VertexRef &v, const Window &window, const poplar::Tensor &offsets,
               const Part &part, std::size_t cols);

} // namespace popops::slice
