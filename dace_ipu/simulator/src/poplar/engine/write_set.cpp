#include "write_set.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <map>

namespace dace_ipu_sim {

void WriteSet::add(const Run &run, const Writer &writer) {
  if (writers_.empty() || writers_.back().vertex != writer.vertex || writers_.back().field != writer.field)
    writers_.push_back(writer);
  const std::uint32_t index = static_cast<std::uint32_t>(writers_.size() - 1);
  Writes &w = variables_[run.var];
  if (run.contiguous()) {
    w.spans.push_back({run.offset, run.offset + run.count, index});
    return;
  }
  w.strided.push_back(run);
  w.stridedWriters.push_back(index);
}

bool WriteSet::compatible(const Writer &a, const Writer &b, bool sameElements) const {
  if (a.vertex == b.vertex)
    return true;
  return a.tile == b.tile && a.inOut && b.inOut && sameElements;
}

void WriteSet::conflict(const GraphCore &graph, const Variable &var, std::size_t at, const Writer &a,
                        const Writer &b) const {
  const auto describe = [&](const Writer &w) {
    return "field '" + std::string(graph.vertices[w.vertex].type->abi->fields[w.field].name) + "' of " +
           describeVertex(graph, w.vertex);
  };
  throw poplar::graph_connection_error("element " + std::to_string(at) + " of variable '" + var.name +
                                       "' is written by two vertices of one compute set: " + describe(a) + " and " +
                                       describe(b));
}

void WriteSet::checkSpans(const GraphCore &graph, const Variable &var, Writes &w) const {
  const auto before = [](const Span &a, const Span &b) { return a.begin < b.begin; };
  if (!std::is_sorted(w.spans.begin(), w.spans.end(), before))
    std::stable_sort(w.spans.begin(), w.spans.end(), before);
  const Span *last = nullptr; // the one that reaches furthest
  for (const Span &s : w.spans) {
    if (last && s.begin < last->end) {
      const bool same = s.begin == last->begin && s.end == last->end;
      if (!compatible(writers_[last->writer], writers_[s.writer], same))
        conflict(graph, var, s.begin, writers_[last->writer], writers_[s.writer]);
    }
    if (!last || s.end > last->end)
      last = &s;
  }
}

void WriteSet::own(const GraphCore &graph, const Variable &var, Writes &w, std::size_t at, std::uint32_t writer) const {
  std::uint32_t &owner = w.owner[at];
  if (owner != 0 && !compatible(writers_[owner - 1], writers_[writer], true))
    conflict(graph, var, at, writers_[owner - 1], writers_[writer]);
  owner = writer + 1;
}

void WriteSet::paintOwners(const GraphCore &graph, const Variable &var, Writes &w) const {
  w.owner.assign(var.elements, 0);
  for (const Span &s : w.spans)
    for (std::size_t at = s.begin; at < s.end; ++at)
      own(graph, var, w, at, s.writer);
  for (std::size_t i = 0; i < w.strided.size(); ++i) {
    const Run &r = w.strided[i];
    for (std::size_t k = 0; k < r.count; ++k)
      own(graph, var, w, r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(k)),
          w.stridedWriters[i]);
  }
}

void WriteSet::check(const GraphCore &graph) {
  // By variable number, so that the first conflict reported does not depend on addresses.
  std::map<unsigned, const Variable *> ordered;
  for (const auto &entry : variables_)
    ordered[entry.first->id] = entry.first;
  for (const auto &entry : ordered) {
    Writes &w = variables_[entry.second];
    if (w.strided.empty())
      checkSpans(graph, *entry.second, w);
    else
      paintOwners(graph, *entry.second, w);
  }
}

bool WriteSet::writtenElsewhere(const Run &run, unsigned tile) const {
  const auto it = variables_.find(run.var);
  if (it == variables_.end())
    return false;
  const Writes &w = it->second;
  if (w.strided.empty() && run.contiguous()) {
    const std::size_t end = run.offset + run.count;
    auto s = std::partition_point(w.spans.begin(), w.spans.end(), [&](const Span &x) { return x.end <= run.offset; });
    for (; s != w.spans.end() && s->begin < end; ++s)
      if (writers_[s->writer].tile != tile)
        return true;
    return false;
  }
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::size_t at = run.offset + static_cast<std::size_t>(run.stride * static_cast<std::ptrdiff_t>(k));
    if (w.strided.empty()) {
      if (writtenElsewhere({run.var, at, 1, 1}, tile))
        return true;
    } else if (w.owner[at] != 0 && writers_[w.owner[at] - 1].tile != tile) {
      return true;
    }
  }
  return false;
}

} // namespace dace_ipu_sim
