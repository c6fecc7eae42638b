#include "vertices.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops::slice {

using namespace poplar;

namespace {

class Reader {
public:
  Reader(Graph &graph, const Window &window, Steps &steps, const DebugContext &debugContext)
      : graph_(graph), window_(window), steps_(steps), debugContext_(debugContext) {}

  void read(const Job &job, const Group &group) {
    const std::size_t n = job.offsets.dim(0);
    if (group.parts.size() == 1) // what one tile holds alone goes straight to the slices
      copyRows(steps_[0], job, group, 0, job.offsets, piece(job, group, 0, n).flatten());
    else
      readParts(job, group, n);
  }

private:
  Graph &graph_;
  const Window &window_;
  Steps &steps_;
  const DebugContext &debugContext_;

  Tensor piece(const Job &job, const Group &group, std::size_t begin, std::size_t end) const {
    const std::size_t slots = window_.slots();
    return job.slices.slice(begin * slots, end * slots).slice(group.cols, 1);
  }

  void readParts(const Job &job, const Group &group, std::size_t n) {
    const Type type = job.table.elementType();
    const std::size_t sliceElements = window_.slots() * group.cols.size();
    const std::size_t atATime =
        std::min(n, slicesAtATime(graph_, sliceElements * graph_.getTarget().getTypeSize(type)));
    const Tensor parts =
        graph_.addVariable(type, {group.parts.size(), atATime * sliceElements}, {debugContext_, "parts"});
    for (std::size_t p = 0; p < group.parts.size(); ++p)
      graph_.setTileMapping(parts[p], group.parts[p].tile);
    for (std::size_t begin = 0, step = 0; begin < n; begin += atATime, step += 2) {
      const std::size_t end = std::min(n, begin + atATime);
      const Tensor used = parts.slice(0, (end - begin) * sliceElements, 1);
      for (std::size_t p = 0; p < group.parts.size(); ++p)
        copyRows(steps_[step], job, group, p, job.offsets.slice(begin, end), used[p]);
      combine(steps_[step + 1], used, piece(job, group, begin, end).flatten());
    }
  }

  void copyRows(ComputeSet cs, const Job &job, const Group &group, std::size_t p, const Tensor &offsets,
                const Tensor &out) {
    const Part &part = group.parts[p];
    const Tensor base = job.table.slice(part.rows).slice(group.cols, 1).flatten();
    const std::string name = poputil::templateVertex("popops::MultiSlice", base.elementType());
    const VertexRef v = graph_.addVertex(cs, name, {{"base", base}, {"out", out}});
    setWindow(graph_, v, window_, offsets, part, group.cols.size());
  }

  void combine(ComputeSet cs, const Tensor &parts, const Tensor &out) {
    const std::string name = poputil::templateVertex("popops::CombineSlices", out.elementType());
    const Graph::TileToTensorMapping mapping = graph_.getTileMapping(out);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const Interval &interval : mapping[tile]) {
        const VertexRef v = graph_.addVertex(cs, name, {{"parts", parts.slice(interval, 1)}, {"out", out.slice(interval)}});
        graph_.setTileMapping(v, tile);
      }
  }
};

} // namespace

void read(Graph &graph, const std::vector<Job> &jobs, const Window &window, program::Sequence &prog,
          const DebugContext &debugContext) {
  Steps steps(graph, debugContext);
  Reader reader(graph, window, steps, debugContext);
  for (Job job : jobs) {
    if (job.slices.numElements() == 0)
      continue;
    const Type bits = bitsOf(graph, job.table.elementType());
    std::optional<Layout> layout = layoutOf(graph, job.table);
    if (!layout) { // too scattered: spread it evenly first
      const Tensor even =
          createEvenTable(graph, job.table.elementType(), job.table.dim(0), job.table.dim(1), {debugContext, "table"});
      prog.add(program::Copy(job.table, even, false, debugContext));
      job.table = even;
      layout = layoutOf(graph, even);
    }
    job.table = job.table.reinterpret(bits);
    job.slices = job.slices.reinterpret(bits);
    for (const Group &group : *layout)
      reader.read(job, group);
  }
  steps.appendTo(prog);
}

} // namespace popops::slice
