// Graph: questions about the order of elements in memory, and dumps.
#include "../core/graph_core.hpp"
#include "../executable/executable_file.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <ostream>
#include <tuple>

namespace poplar {

using dace_ipu_sim::Run;

namespace {

// A piece of a flattened tensor and where it lies.
struct Piece {
  unsigned variable;
  std::size_t offset; // in the variable
  std::size_t at;     // in the flattened tensor
  std::size_t size;
  bool operator<(const Piece &o) const { return std::tie(variable, offset, at) < std::tie(o.variable, o.offset, o.at); }
};

std::vector<Piece> piecesOf(const Tensor &t, std::size_t begin, std::size_t end) {
  std::vector<Piece> pieces;
  std::size_t at = begin;
  dace_ipu_sim::forEachRun(*t.flatten().slice(begin, end).view(), [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step, at += step)
      pieces.push_back(
          {r.var->id, r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i)), at, step});
  });
  return pieces;
}

std::vector<Piece> sortedPieces(const Tensor &t) {
  std::vector<Piece> pieces = piecesOf(t, 0, t.numElements());
  std::stable_sort(pieces.begin(), pieces.end());
  return pieces;
}

void addInterval(std::vector<Interval> &out, std::size_t begin, std::size_t end) {
  if (!out.empty() && out.back().end() == begin)
    out.back() = Interval(out.back().begin(), end);
  else
    out.emplace_back(begin, end);
}

Tensor takeIntervals(const Tensor &flat, ArrayRef<Interval> intervals) {
  return intervals.empty() ? flat : concat(flat.slices(intervals));
}

} // namespace

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                                                     bool removeAliasedIntervals,
                                                                     std::vector<std::size_t> *aliases) const {
  std::vector<Piece> pieces;
  for (const Interval &r : regions)
    for (const Piece &p : piecesOf(t, r.begin(), r.end()))
      pieces.push_back(p);
  std::stable_sort(pieces.begin(), pieces.end());
  std::vector<std::vector<Interval>> groups;
  if (aliases)
    aliases->assign(t.numElements(), 0);
  const Piece *last = nullptr;
  for (const Piece &p : pieces) {
    const bool repeated = last && last->variable == p.variable && p.offset < last->offset + last->size;
    if (repeated && removeAliasedIntervals) {
      for (std::size_t i = 0; aliases && i < p.size; ++i)
        (*aliases)[p.at + i] = last->at + (p.offset - last->offset) + i;
      continue;
    }
    for (std::size_t i = 0; aliases && i < p.size; ++i)
      (*aliases)[p.at + i] = p.at + i;
    if (!last || last->variable != p.variable || last->offset + last->size != p.offset)
      groups.emplace_back();
    addInterval(groups.back(), p.at, p.at + p.size);
    last = &p;
  }
  return groups;
}

TensorRearranger Graph::getSimplifyingRearranger(const Tensor &t) const {
  std::vector<Interval> order;
  for (const Piece &p : sortedPieces(t))
    addInterval(order, p.at, p.at + p.size);
  return TensorRearranger(order);
}

void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool) const {
  const TensorRearranger rearranger = getSimplifyingRearranger(*t);
  *t = rearranger.rearrange(*t);
  for (Tensor *other : ts)
    *other = rearranger.rearrange(*other);
}

Tensor TensorRearranger::rearrange(const Tensor &t) const { return takeIntervals(t.flatten(), order_); }

Tensor TensorRearranger::undoRearrangement(const Tensor &t) const {
  std::vector<std::pair<std::size_t, Interval>> back; // original position, place in the rearranged tensor
  std::size_t at = 0;
  for (const Interval &i : order_) {
    back.emplace_back(i.begin(), Interval(at, at + i.size()));
    at += i.size();
  }
  std::sort(back.begin(), back.end());
  std::vector<Interval> order;
  for (const auto &b : back)
    order.push_back(b.second);
  return takeIntervals(t.flatten(), order);
}

namespace {

// Maps intervals of the original to the rearranged tensor, or back.
std::vector<Interval> mapIntervals(const std::vector<Interval> &order, ArrayRef<Interval> intervals, bool forward) {
  std::vector<Interval> result;
  for (const Interval &wanted : intervals) {
    std::size_t at = 0;
    std::vector<Interval> found;
    for (const Interval &piece : order) {
      const Interval from = forward ? piece : Interval(at, at + piece.size());
      const std::size_t to = forward ? at : piece.begin();
      const std::size_t b = std::max(from.begin(), wanted.begin());
      const std::size_t e = std::min(from.end(), wanted.end());
      if (b < e)
        found.emplace_back(to + b - from.begin(), to + e - from.begin());
      at += piece.size();
    }
    std::sort(found.begin(), found.end());
    for (const Interval &i : found)
      addInterval(result, i.begin(), i.end());
  }
  return result;
}

} // namespace

std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  return mapIntervals(order_, intervals, true);
}

std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  return mapIntervals(order_, intervals, false);
}

// Takes out dimensions along which all elements alias.
Tensor Graph::findUnbroadcastTensor(const Tensor &t) const {
  Tensor result = t;
  for (unsigned d = 0; d < t.rank(); ++d) {
    if (result.dim(d) < 2)
      continue;
    const Tensor first = result.slice(0, 1, d);
    bool same = true;
    for (std::size_t i = 1; same && i < result.dim(d); ++i)
      same = dace_ipu_sim::sameView(*first.view(), *result.slice(i, i + 1, d).view());
    if (same)
      result = first;
  }
  return result;
}

// Dumps

namespace {

std::string dotText(const std::string &s) {
  std::string out = "\"";
  for (const char c : s)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

template <typename F> void forEachEdgeVariable(const dace_ipu_sim::FieldBinding &b, F &&f) {
  if (b.edge.valid())
    dace_ipu_sim::forEachVariable(*b.edge.view(), f);
  for (const Tensor &row : b.rows)
    if (row.valid())
      dace_ipu_sim::forEachVariable(*row.view(), f);
}

} // namespace

void Graph::outputVertexGraph(std::ostream &os, ArrayRef<program::Program>) const {
  os << "digraph vertices {\n";
  for (std::size_t i = 0; i < core_->vertices.size(); ++i) {
    const dace_ipu_sim::Vertex &v = core_->vertices[i];
    os << "  v" << i << " [label=" << dotText(v.type->name) << "];\n";
    for (const auto &b : v.bindings) {
      const DaceIpuField &field = v.type->abi->fields[b.field];
      forEachEdgeVariable(b, [&](const dace_ipu_sim::Variable &var) {
        if (field.direction != DACE_IPU_OUTPUT)
          os << "  " << dotText(var.name) << " -> v" << i << " [label=" << dotText(field.name) << "];\n";
        if (field.direction == DACE_IPU_OUTPUT || field.direction == DACE_IPU_INOUT)
          os << "  v" << i << " -> " << dotText(var.name) << " [label=" << dotText(field.name) << "];\n";
      });
    }
  }
  os << "}\n";
}

void Graph::outputComputeGraph(std::ostream &os, ArrayRef<program::Program>) const {
  os << "digraph compute_sets {\n";
  for (const auto &cs : core_->computeSets)
    os << "  " << dotText(cs.name)
       << " [label=" << dotText(cs.name + " (" + std::to_string(cs.vertices.size()) + " vertices)") << "];\n";
  os << "}\n";
}

void Graph::serialize(std::ostream &os, SerializationFormat) const {
  os << "{\"variables\":" << core_->variables.size() << ",\"vertices\":" << core_->vertices.size()
     << ",\"computeSets\":" << core_->computeSets.size() << "}\n";
}

void Graph::serialize(std::ostream &os, ArrayRef<program::Program>, SerializationFormat format) const {
  serialize(os, format);
}

namespace {

void requireBinary(SerializationFormat format, const char *function) {
  if (format != SerializationFormat::Binary)
    throw poplar_error(std::string(function) + ": formats other than Binary are not supported yet");
}

} // namespace

void Graph::serializeTensors(std::ostream &os, ArrayRef<Tensor> tensors, SerializationFormat format) const {
  requireBinary(format, "serializeTensors");
  for (const Tensor &t : tensors)
    if (!t.valid())
      throw poplar_error("serializeTensors: the tensor is not valid");
  dace_ipu_sim::writeTensors(*core_, tensors.cloneAsVector(), os);
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in, SerializationFormat format) {
  requireBinary(format, "deserializeTensors");
  const std::size_t known = core_->variables.size();
  std::vector<Tensor> tensors = dace_ipu_sim::readTensors(*core_, in);
  for (std::size_t i = known; i < core_->variables.size(); ++i)
    for (const dace_ipu_sim::Region &r : core_->variables[i].mapping.regions())
      topLevelTile(r.tile, "deserializeTensors: variable '" + core_->variables[i].name + "'");
  return tensors;
}

} // namespace poplar
