#include "blocking.hpp"

#include <algorithm>

namespace poplin::internal {

using namespace poplar;

namespace {

// A run of parts of one size: all but a smaller last part, or that one.
struct Run {
  std::size_t parts, size;
};

std::vector<Run> runsOf(const Split &split) {
  std::vector<Run> runs;
  if (split.total / split.part > 0)
    runs.push_back({split.total / split.part, split.part});
  if (split.total % split.part > 0)
    runs.push_back({1, split.total % split.part});
  return runs;
}

// From [G][R][C][g][r * c], the last in stored order, to [G * g][R * r][C * c].
Tensor viewInner(const Tensor &t, std::size_t rows, std::size_t columns, std::size_t grain) {
  const std::vector<std::size_t> s = t.shape();
  const std::size_t full = columns / grain * grain;
  const Tensor even = t.slice(0, rows * full, 4)
                          .reshape({s[0], s[1], s[2], s[3], full / grain, rows, grain})
                          .dimShuffle({0, 3, 1, 5, 2, 4, 6})
                          .reshape({s[0], s[3], s[1], rows, s[2], full});
  const Tensor last = t.slice(rows * full, rows * columns, 4)
                          .reshape({s[0], s[1], s[2], s[3], rows, columns - full})
                          .dimShuffle({0, 3, 1, 4, 2, 5});
  const Tensor both = full == columns ? even : full == 0 ? last : concat(even, last, 5);
  return both.reshape({s[0] * s[3], s[1] * rows, s[2] * columns});
}

// From [G][R][g * r * columns].
Tensor viewColumns(const Tensor &t, std::size_t groups, std::size_t rows, const Blocking &b) {
  std::vector<Tensor> views;
  std::size_t begin = 0;
  for (const Run &run : runsOf(b.column)) {
    const std::size_t size = groups * rows * run.size, end = begin + run.parts * size;
    const Tensor part = t.slice(begin, end, 2).reshape({t.dim(0), t.dim(1), run.parts, groups, rows * run.size});
    views.push_back(viewInner(part, rows, run.size, b.grain));
    begin = end;
  }
  return concat(views, 2);
}

// From [G][g * rows * columns].
Tensor viewRows(const Tensor &t, std::size_t groups, const Blocking &b) {
  std::vector<Tensor> views;
  std::size_t begin = 0;
  for (const Run &run : runsOf(b.row)) {
    const std::size_t size = groups * run.size * b.column.total, end = begin + run.parts * size;
    views.push_back(viewColumns(t.slice(begin, end, 1).reshape({t.dim(0), run.parts, size}), groups, run.size, b));
    begin = end;
  }
  return concat(views, 1);
}

Tensor viewGroups(const Tensor &storage, const Blocking &b) {
  std::vector<Tensor> views;
  std::size_t begin = 0;
  for (const Run &run : runsOf(b.group)) {
    const std::size_t size = run.size * b.row.total * b.column.total, end = begin + run.parts * size;
    views.push_back(viewRows(storage.slice(begin, end).reshape({run.parts, size}), run.size, b));
    begin = end;
  }
  return concat(views, 0);
}

std::size_t blockSize(const Blocking &b, const BlockIndex &i) {
  return b.group.range(i.group).size() * b.row.range(i.row).size() * b.column.range(i.column).size();
}

} // namespace

Interval share(std::size_t n, std::size_t i, std::size_t parts) {
  constexpr std::size_t piece = 8; // whole 16 bytes of either type
  const std::size_t pieces = ceilDiv(n, piece);
  return {std::min(n, i * pieces / parts * piece), std::min(n, (i + 1) * pieces / parts * piece)};
}

void Blocking::forEach(const std::function<void(const BlockIndex &)> &f) const {
  for (std::size_t g = 0; g < group.count(); ++g)
    for (std::size_t r = 0; r < row.count(); ++r)
      for (std::size_t c = 0; c < column.count(); ++c)
        f({g, r, c});
}

Tensor Blocking::block(const Tensor &t, const BlockIndex &i) const {
  const Tensor s =
      t.slice(group.range(i.group), 0).slice(row.range(i.row), 1).slice(column.range(i.column), 2);
  const std::size_t full = s.dim(2) / grain * grain;
  const Tensor even = s.slice(0, full, 2)
                          .reshape({s.dim(0), s.dim(1), full / grain, grain})
                          .dimShuffle({0, 2, 1, 3})
                          .reshape({s.dim(0), s.dim(1) * full});
  if (full == s.dim(2))
    return even.flatten();
  const Tensor last = s.slice(full, s.dim(2), 2).reshape({s.dim(0), s.dim(1) * (s.dim(2) - full)});
  return full == 0 ? last.flatten() : concat(even, last, 1).flatten();
}

bool Blocking::isStoredIn(const Tensor &t) const {
  for (std::size_t g = 0; g < group.count(); ++g)
    for (std::size_t r = 0; r < row.count(); ++r)
      for (std::size_t c = 0; c < column.count(); ++c)
        if (!block(t, {g, r, c}).isContiguous())
          return false;
  return true;
}

Tensor Blocking::create(Graph &graph, const Type &type,
                        const std::function<std::vector<unsigned>(const BlockIndex &)> &holders,
                        const DebugContext &debugContext) const {
  const std::size_t total = group.total * row.total * column.total;
  const Tensor storage = graph.addVariable(type, {total}, debugContext);
  std::size_t begin = 0;
  forEach([&](const BlockIndex &i) {
    const std::size_t size = blockSize(*this, i);
    const std::vector<unsigned> tiles = holders(i);
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      const Interval piece = share(size, k, tiles.size());
      graph.setTileMapping(storage.slice(begin + piece.begin(), begin + piece.end()), tiles[k]);
    }
    begin += size;
  });
  return total == 0 ? storage.reshape({group.total, row.total, column.total}) : viewGroups(storage, *this);
}

} // namespace poplin::internal
