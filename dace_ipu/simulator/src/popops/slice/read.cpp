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
      copyRows(steps_[0], job, group, 0, job.offsets, rowsOf(job, group, 0, n).flatten());
    else
      readParts(job, group, n);
  }

  // Few rows of pieces that are not aligned with each other: each copies what it has, each stretch of the slices collects
  // it from all pieces that cover it.
  void readPieces(const Job &job, const std::vector<Rectangle> &pieces) {
    std::vector<Tensor> found;
    for (const Rectangle &piece : pieces) {
      const std::size_t cols = piece.cols.size();
      const Tensor part = graph_.addVariable(job.table.elementType(), {job.slices.dim(0), cols}, {debugContext_, "parts"});
      graph_.setTileMapping(part, piece.tile);
      const Tensor base = job.table.slice(piece.rows).slice(piece.cols, 1).flatten();
      copyRows(steps_[0], base, {piece.tile, piece.rows}, cols, job.offsets, part.flatten());
      found.push_back(part);
    }
    for (std::size_t row = 0; row < job.slices.dim(0); ++row)
      collect(steps_[1], pieces, found, row, job.slices[row]);
  }

  static constexpr std::size_t stretches = 32;

private:
  Graph &graph_;
  const Window &window_;
  Steps &steps_;
  const DebugContext &debugContext_;

  Tensor rowsOf(const Job &job, const Group &group, std::size_t begin, std::size_t end) const {
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
      combine(steps_[step + 1], used, rowsOf(job, group, begin, end).flatten());
    }
  }

  void copyRows(ComputeSet cs, const Job &job, const Group &group, std::size_t p, const Tensor &offsets,
                const Tensor &out) {
    const Part &part = group.parts[p];
    const Tensor base = job.table.slice(part.rows).slice(group.cols, 1).flatten();
    copyRows(cs, base, part, group.cols.size(), offsets, out);
  }

  void copyRows(ComputeSet cs, const Tensor &base, const Part &part, std::size_t cols, const Tensor &offsets,
                const Tensor &out) {
    const std::string name = poputil::templateVertex("popops::MultiSlice", base.elementType());
    const VertexRef v = graph_.addVertex(cs, name, {{"base", base}, {"out", out}});
    setWindow(graph_, v, window_, offsets, part, cols);
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

  // A row of the slices, in stretches of at least 16 elements, each where most likely its first element lies.
  void collect(ComputeSet cs, const std::vector<Rectangle> &pieces, const std::vector<Tensor> &found, std::size_t row,
               const Tensor &out) {
    const std::size_t cols = out.numElements(), length = std::max<std::size_t>(16, (cols + stretches - 1) / stretches);
    for (std::size_t begin = 0; begin < cols; begin += length) {
      const Interval stretch(begin, std::min(cols, begin + length));
      std::vector<Tensor> parts;
      std::vector<unsigned> begins;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::size_t first = std::max(stretch.begin(), pieces[i].cols.begin());
        const std::size_t last = std::min(stretch.end(), pieces[i].cols.end());
        if (first >= last)
          continue;
        parts.push_back(found[i][row].slice(first - pieces[i].cols.begin(), last - pieces[i].cols.begin()));
        begins.push_back(static_cast<unsigned>(first - stretch.begin()));
      }
      addCollector(cs, parts, begins, out.slice(stretch));
    }
  }

  void addCollector(ComputeSet cs, const std::vector<Tensor> &parts, const std::vector<unsigned> &begins,
                    const Tensor &out) {
    const Graph::TileToTensorMapping mapping = graph_.getTileMapping(out.slice(0, 1));
    const VertexRef v = graph_.addVertex(cs, poputil::templateVertex("popops::CollectSlices", out.elementType()),
                                         {{"parts", parts}, {"out", out}});
    graph_.setInitialValue(v["begins"], begins);
    unsigned tile = 0;
    while (mapping[tile].empty())
      ++tile;
    graph_.setTileMapping(v, tile);
  }
};

// Whether a vertex for each stretch of each row can reach all pieces with a reasonable number of edges.
bool fewRows(const Graph &graph, const Job &job, const std::vector<Rectangle> &pieces) {
  const std::size_t edges = job.slices.dim(0) * std::min(Reader::stretches, job.slices.dim(1) / 16 + 1) * pieces.size();
  return edges <= 16 * mostPieces(graph);
}

} // namespace

void read(Graph &graph, const std::vector<Job> &jobs, const Window &window, program::Sequence &prog,
          const DebugContext &debugContext) {
  Steps steps(graph, debugContext);
  Reader reader(graph, window, steps, debugContext);
  for (Job job : jobs) {
    if (job.slices.numElements() == 0)
      continue;
    const Type bits = bitsOf(graph, job.table.elementType());
    std::vector<Rectangle> pieces = rectanglesOf(graph, job.table);
    std::optional<Layout> layout = groupsOf(graph, pieces);
    if (!layout && !fewRows(graph, job, pieces)) { // too scattered: spread it evenly first
      const Tensor even =
          createEvenTable(graph, job.table.elementType(), job.table.dim(0), job.table.dim(1), {debugContext, "table"});
      prog.add(program::Copy(job.table, even, false, debugContext));
      job.table = even;
      layout = groupsOf(graph, rectanglesOf(graph, even));
    }
    job.table = job.table.reinterpret(bits);
    job.slices = job.slices.reinterpret(bits);
    if (!layout)
      reader.readPieces(job, pieces);
    else
      for (const Group &group : *layout)
        reader.read(job, group);
  }
  steps.appendTo(prog);
}

} // namespace popops::slice
