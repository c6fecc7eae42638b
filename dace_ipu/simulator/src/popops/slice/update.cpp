#include "vertices.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops::slice {

using namespace poplar;

namespace {

class Updater {
public:
  Updater(Graph &graph, const Window &window, Update operation, const Tensor &scale, Steps &steps)
      : graph_(graph), window_(window), operation_(operation), scale_(scale), steps_(steps) {}

  // A tile receives all slices of its columns, so many at a time as fit.
  void update(const Job &job, const Rectangle &piece) {
    const std::size_t n = job.offsets.dim(0), slots = window_.slots(), cols = piece.cols.size();
    const std::size_t bytes = slots * cols * graph_.getTarget().getTypeSize(job.table.elementType());
    const std::size_t atATime = slicesAtATime(graph_, bytes);
    for (std::size_t begin = 0, step = 0; begin < n; begin += atATime, ++step) {
      const std::size_t end = std::min(n, begin + atATime);
      const Tensor sub = job.slices.slice(begin * slots, end * slots).slice(piece.cols, 1).flatten();
      const Tensor base = job.table.slice(piece.rows).slice(piece.cols, 1).flatten();
      updatePiece(steps_[step], base, sub, job.offsets.slice(begin, end), {piece.tile, piece.rows}, cols);
    }
  }

private:
  Graph &graph_;
  const Window &window_;
  const Update operation_;
  const Tensor &scale_;
  Steps &steps_;

  void updatePiece(ComputeSet cs, const Tensor &base, const Tensor &sub, const Tensor &offsets, const Part &part,
                   std::size_t cols) {
    const VertexRef v = graph_.addVertex(cs, vertexName(base.elementType()), {{"base", base}, {"sub", sub}});
    setWindow(graph_, v, window_, offsets, part, cols);
    if (operation_ == Update::REPLACE)
      return;
    graph_.setInitialValue(v["operation"], static_cast<unsigned>(operation_) - static_cast<unsigned>(Update::ADD));
    if (scale_.valid())
      graph_.connect(v["scale"], scale_);
    else
      graph_.connect(v["scale"], 1);
  }

  std::string vertexName(const Type &type) const {
    if (operation_ == Update::REPLACE)
      return poputil::templateVertex("popops::MultiUpdate", type);
    return poputil::templateVertex("popops::MultiUpdateOp", type, scale_.valid() ? scale_.elementType() : type);
  }
};

} // namespace

void update(Graph &graph, const std::vector<Job> &jobs, const Window &window, Update operation, const Tensor &scale,
            program::Sequence &prog, const DebugContext &debugContext) {
  Steps steps(graph, debugContext);
  Updater updater(graph, window, operation, scale, steps);
  program::Sequence after(debugContext);
  for (Job job : jobs) {
    if (job.slices.numElements() == 0)
      continue;
    std::vector<Rectangle> pieces = rectanglesOf(graph, job.table);
    if (pieces.size() > mostPieces(graph)) { // too scattered: update a copy that is spread evenly
      const Tensor even =
          createEvenTable(graph, job.table.elementType(), job.table.dim(0), job.table.dim(1), {debugContext, "table"});
      prog.add(program::Copy(job.table, even, false, debugContext));
      after.add(program::Copy(even, job.table, false, debugContext));
      job.table = even;
      pieces = rectanglesOf(graph, even);
    }
    if (operation == Update::REPLACE) {
      const Type bits = bitsOf(graph, job.table.elementType());
      job.table = job.table.reinterpret(bits);
      job.slices = job.slices.reinterpret(bits);
    }
    for (const Rectangle &piece : pieces)
      updater.update(job, piece);
  }
  steps.appendTo(prog);
  prog.add(after);
}

} // namespace popops::slice
