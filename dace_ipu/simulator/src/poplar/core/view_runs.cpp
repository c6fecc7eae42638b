// Enumerating the elements of views.
#include "view.hpp"
#include "variable.hpp"
#include "view_leaf.hpp"

#include <algorithm>

namespace dace_ipu_sim {

namespace {

// Joins contiguous runs that follow one another before they reach the sink.
class Coalescer {
public:
  explicit Coalescer(const RunSink &sink) : sink_(sink) {}
  void add(const Run &run) {
    const bool extends = pending_.count > 0 && pending_.var == run.var && pending_.contiguous() && run.contiguous() &&
                         pending_.offset + pending_.count == run.offset;
    if (extends) {
      pending_.count += run.count;
      pending_.stride = 1;
      return;
    }
    flush();
    pending_ = run;
    if (run.count == 1)
      pending_.stride = 1;
  }
  void flush() {
    if (pending_.count > 0)
      sink_(pending_);
    pending_.count = 0;
  }

private:
  const RunSink &sink_;
  Run pending_{nullptr, 0, 1, 0};
};

void emitFactors(const Variable *var, std::size_t offset, const Factor *f, std::size_t n, Coalescer &out) {
  if (n == 0) {
    out.add({var, offset, 1, 1});
    return;
  }
  if (n == 1) {
    out.add({var, offset, f->stride, f->count});
    return;
  }
  for (std::size_t i = 0; i < f->count; ++i)
    emitFactors(var, offset + static_cast<std::size_t>(f->stride * static_cast<std::ptrdiff_t>(i)), f + 1, n - 1, out);
}

// Offset that fixed indices of the leading dimensions add, and the first factor behind them.
std::size_t fixedOffset(const View &leaf, const std::size_t *index, unsigned fixed, std::size_t *firstFactor) {
  std::size_t offset = leaf.offset;
  std::size_t at = 0;
  for (unsigned d = 0; d < fixed; ++d) {
    offset += static_cast<std::size_t>(offsetAt(leaf.factors.data() + at, leaf.split[d], index[d]));
    at += leaf.split[d];
  }
  *firstFactor = at;
  return offset;
}

void emitLeaf(const View &v, const std::size_t *index, unsigned fixed, Coalescer &out) {
  std::size_t first = 0;
  const std::size_t offset = fixedOffset(v, index, fixed, &first);
  Factors rest(v.factors.begin() + static_cast<std::ptrdiff_t>(first), v.factors.end());
  normalise(rest);
  emitFactors(v.var, offset, rest.data(), rest.size(), out);
}

// Elements of the view whose first `fixed` indices are given. `index` has room for the rank.
void emit(const View &v, std::size_t *index, unsigned fixed, Coalescer &out) {
  if (v.kind == View::Kind::Empty)
    return;
  if (v.kind == View::Kind::Leaf) {
    emitLeaf(v, index, fixed, out);
    return;
  }
  if (v.axis < fixed) {
    const std::size_t position = index[v.axis];
    const auto it = std::upper_bound(v.starts.begin(), v.starts.end(), position) - 1;
    index[v.axis] = position - *it;
    emit(*v.parts[static_cast<std::size_t>(it - v.starts.begin())], index, fixed, out);
    index[v.axis] = position;
    return;
  }
  if (v.axis == fixed) {
    for (const ViewPtr &p : v.parts)
      emit(*p, index, fixed, out);
    return;
  }
  for (std::size_t i = 0; i < v.shape[fixed]; ++i) {
    index[fixed] = i;
    emit(v, index, fixed + 1, out);
  }
}

// Makes strides positive, drops repetitions and sorts by stride, so that contiguous elements meet.
void emitLeafUnordered(const View &leaf, Coalescer &out) {
  Factors f;
  std::size_t offset = leaf.offset;
  for (Factor x : leaf.factors) {
    if (x.stride == 0)
      continue;
    if (x.stride < 0) {
      offset += static_cast<std::size_t>(x.stride * static_cast<std::ptrdiff_t>(x.count - 1));
      x.stride = -x.stride;
    }
    f.push_back(x);
  }
  std::stable_sort(f.begin(), f.end(), [](const Factor &a, const Factor &b) { return a.stride > b.stride; });
  normalise(f);
  emitFactors(leaf.var, offset, f.data(), f.size(), out);
}

void emitUnordered(const View &v, Coalescer &out) {
  if (v.kind == View::Kind::Leaf)
    emitLeafUnordered(v, out);
  for (const ViewPtr &p : v.parts)
    emitUnordered(*p, out);
}

bool repeats(const View &v) {
  if (v.kind == View::Kind::Leaf)
    return std::any_of(v.factors.begin(), v.factors.end(), [](const Factor &f) { return f.stride == 0; });
  return std::any_of(v.parts.begin(), v.parts.end(), [](const ViewPtr &p) { return repeats(*p); });
}

struct Span {
  unsigned var;
  std::size_t begin;
  std::size_t end;
};

void addSpans(const Run &r, std::vector<Span> &out) {
  if (r.contiguous()) {
    out.push_back({r.var->id, r.offset, r.offset + r.count});
    return;
  }
  for (std::size_t i = 0; i < r.count; ++i) {
    const std::size_t at = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
    out.push_back({r.var->id, at, at + 1});
  }
}

} // namespace

void forEachRun(const View &v, const RunSink &sink) {
  Coalescer out(sink);
  std::vector<std::size_t> index(v.shape.size() + 1);
  emit(v, index.data(), 0, out);
  out.flush();
}

void forEachRunUnordered(const View &v, const RunSink &sink) {
  Coalescer out(sink);
  emitUnordered(v, out);
  out.flush();
}

bool hasAliases(const View &v) {
  if (repeats(v))
    return true;
  if (v.kind != View::Kind::Concat)
    return false;
  std::vector<Span> spans;
  forEachRunUnordered(v, [&](const Run &r) { addSpans(r, spans); });
  std::sort(spans.begin(), spans.end(),
            [](const Span &a, const Span &b) { return a.var != b.var ? a.var < b.var : a.begin < b.begin; });
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].var == spans[i - 1].var && spans[i].begin < spans[i - 1].end)
      return true;
  return false;
}

const Variable *contiguousIn(const View &v, std::size_t *offset) {
  if (v.kind == View::Kind::Leaf) {
    const Factors f = flatFactors(v);
    *offset = v.offset;
    return f.empty() || (f.size() == 1 && f[0].stride == 1) ? v.var : nullptr;
  }
  const Variable *found = nullptr;
  std::size_t runs = 0;
  forEachRun(v, [&](const Run &r) {
    if (++runs == 1 && r.contiguous()) {
      found = r.var;
      *offset = r.offset;
    }
  });
  return runs == 1 ? found : nullptr;
}

} // namespace dace_ipu_sim
