#include "view.hpp"
#include "variable.hpp"
#include "view_leaf.hpp"

#include <algorithm>

namespace dace_ipu_sim {

namespace {

template <typename F> ViewPtr mapParts(const View &v, unsigned axis, F &&f) {
  std::vector<ViewPtr> parts;
  parts.reserve(v.parts.size());
  for (const ViewPtr &part : v.parts)
    parts.push_back(f(part));
  return concatViews(parts, axis);
}

std::size_t firstPartAt(const View &v, std::size_t position) {
  const auto it = std::upper_bound(v.starts.begin(), v.starts.end(), position);
  return static_cast<std::size_t>(it - v.starts.begin()) - 1;
}

Shape withDim(const Shape &shape, unsigned dim, std::size_t size) {
  Shape s = shape;
  s[dim] = size;
  return s;
}

ViewPtr sliceLeaf(const View &v, unsigned dim, std::size_t begin, std::size_t end) {
  const Factors f = factorsOf(v, dim);
  std::vector<LeafPiece> pieces;
  slicePieces(f.data(), f.size(), v.offset, begin, end, pieces);
  std::vector<ViewPtr> parts;
  for (const LeafPiece &p : pieces)
    parts.push_back(withFactors(v, dim, p.factors, p.offset));
  return parts.size() == 1 ? parts[0] : concatViews(parts, dim);
}

ViewPtr sliceConcat(const View &v, unsigned dim, std::size_t begin, std::size_t end) {
  if (dim != v.axis)
    return mapParts(v, v.axis, [&](const ViewPtr &p) { return sliceView(p, dim, begin, end); });
  std::vector<ViewPtr> parts;
  for (std::size_t i = firstPartAt(v, begin); i < v.parts.size() && v.starts[i] < end; ++i) {
    const std::size_t b = std::max(begin, v.starts[i]) - v.starts[i];
    const std::size_t e = std::min(end, v.starts[i + 1]) - v.starts[i];
    parts.push_back(sliceView(v.parts[i], dim, b, e));
  }
  return concatViews(parts, dim);
}

// Two leaves that continue one another along the axis, as one leaf; else null.
ViewPtr joinLeaves(const View &a, const View &b, unsigned axis) {
  if (a.kind != View::Kind::Leaf || b.kind != View::Kind::Leaf || a.var != b.var)
    return nullptr;
  if (a.split[axis] > 1 || b.split[axis] > 1)
    return nullptr;
  const Factors fa = factorsOf(a, axis);
  const Factors fb = factorsOf(b, axis);
  std::ptrdiff_t step = 1; // two single rows: what a whole variable would have
  for (unsigned d = axis + 1; d < a.rank(); ++d)
    step *= static_cast<std::ptrdiff_t>(a.shape[d]);
  if (!fa.empty())
    step = fa[0].stride;
  else if (!fb.empty())
    step = fb[0].stride;
  if ((!fb.empty() && fb[0].stride != step) || step == 0)
    return nullptr;
  if (b.offset != a.offset + static_cast<std::size_t>(step * static_cast<std::ptrdiff_t>(a.shape[axis])))
    return nullptr;
  for (unsigned d = 0; d < a.rank(); ++d)
    if (d != axis && factorsOf(a, d) != factorsOf(b, d))
      return nullptr;
  return withFactors(a, axis, {{a.shape[axis] + b.shape[axis], step}}, a.offset);
}

void appendPart(std::vector<ViewPtr> &out, const ViewPtr &part, unsigned axis) {
  if (part->elements == 0)
    return;
  if (part->kind == View::Kind::Concat && part->axis == axis) {
    for (const ViewPtr &p : part->parts)
      appendPart(out, p, axis);
    return;
  }
  ViewPtr joined = out.empty() ? nullptr : joinLeaves(*out.back(), *part, axis);
  if (joined)
    out.back() = joined;
  else
    out.push_back(part);
}

} // namespace

std::size_t product(const Shape &shape) {
  std::size_t n = 1;
  for (std::size_t s : shape)
    n *= s;
  return n;
}

ViewPtr wholeView(const Variable *var, const Shape &shape) {
  if (product(shape) == 0)
    return makeEmpty(shape);
  std::vector<Factors> dims(shape.size());
  std::size_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    dims[d] = {{shape[d], static_cast<std::ptrdiff_t>(stride)}};
    stride *= shape[d];
  }
  return makeLeaf(var, 0, shape, dims);
}

ViewPtr concatViews(const std::vector<ViewPtr> &parts, unsigned axis) {
  std::vector<ViewPtr> kept;
  kept.reserve(parts.size());
  for (const ViewPtr &p : parts)
    appendPart(kept, p, axis);
  if (kept.size() == 1)
    return kept[0];
  std::size_t size = 0;
  for (const ViewPtr &p : parts)
    size += p->shape[axis];
  auto v = std::make_shared<View>();
  v->shape = withDim(parts.at(0)->shape, axis, size);
  v->elements = product(v->shape);
  if (kept.empty())
    return v;
  v->kind = View::Kind::Concat;
  v->axis = axis;
  v->starts.push_back(0);
  for (const ViewPtr &p : kept)
    v->starts.push_back(v->starts.back() + p->shape[axis]);
  v->parts = std::move(kept);
  return v;
}

ViewPtr sliceView(const ViewPtr &v, unsigned dim, std::size_t begin, std::size_t end) {
  if (begin == 0 && end == v->shape[dim])
    return v;
  if (begin == end || v->kind == View::Kind::Empty)
    return makeEmpty(withDim(v->shape, dim, end - begin));
  return v->kind == View::Kind::Leaf ? sliceLeaf(*v, dim, begin, end) : sliceConcat(*v, dim, begin, end);
}

ViewPtr removeDim(const ViewPtr &v, unsigned dim) {
  if (v->kind == View::Kind::Concat)
    return mapParts(*v, v->axis - (v->axis > dim), [&](const ViewPtr &p) { return removeDim(p, dim); });
  auto r = std::make_shared<View>(*v);
  r->shape.erase(r->shape.begin() + dim);
  if (v->kind == View::Kind::Leaf)
    r->split.erase(r->split.begin() + dim);
  return r;
}

ViewPtr insertDim(const ViewPtr &v, unsigned dim) {
  if (v->kind == View::Kind::Concat)
    return mapParts(*v, v->axis + (v->axis >= dim), [&](const ViewPtr &p) { return insertDim(p, dim); });
  auto r = std::make_shared<View>(*v);
  r->shape.insert(r->shape.begin() + dim, 1);
  if (v->kind == View::Kind::Leaf)
    r->split.insert(r->split.begin() + dim, 0);
  return r;
}

ViewPtr indexView(const ViewPtr &v, unsigned dim, std::size_t i) {
  // The slice has size 1 along dim, so a concatenation along dim has collapsed into one part.
  return removeDim(sliceView(v, dim, i, i + 1), dim);
}

ViewPtr permuteView(const ViewPtr &v, const std::vector<unsigned> &perm) {
  Shape shape;
  for (unsigned d : perm)
    shape.push_back(v->shape[d]);
  if (v->kind == View::Kind::Empty)
    return makeEmpty(shape);
  if (v->kind == View::Kind::Concat) {
    const auto axis = std::find(perm.begin(), perm.end(), v->axis) - perm.begin();
    return mapParts(*v, static_cast<unsigned>(axis), [&](const ViewPtr &p) { return permuteView(p, perm); });
  }
  std::vector<Factors> dims;
  for (unsigned d : perm)
    dims.push_back(factorsOf(*v, d));
  return makeLeaf(v->var, v->offset, shape, dims);
}

ViewPtr reverseView(const ViewPtr &v, unsigned dim) {
  if (v->kind == View::Kind::Empty)
    return v;
  if (v->kind == View::Kind::Concat) {
    std::vector<ViewPtr> parts;
    for (const ViewPtr &p : v->parts)
      parts.push_back(reverseView(p, dim));
    if (dim == v->axis)
      std::reverse(parts.begin(), parts.end());
    return concatViews(parts, v->axis);
  }
  Factors f = factorsOf(*v, dim);
  std::size_t offset = v->offset;
  for (Factor &x : f) {
    offset += static_cast<std::size_t>(x.stride * static_cast<std::ptrdiff_t>(x.count - 1));
    x.stride = -x.stride;
  }
  return withFactors(*v, dim, f, offset);
}

ViewPtr subSampleView(const ViewPtr &v, unsigned dim, std::size_t step) {
  const std::size_t size = (v->shape[dim] + step - 1) / step;
  if (v->kind == View::Kind::Empty)
    return makeEmpty(withDim(v->shape, dim, size));
  if (v->kind == View::Kind::Concat && v->axis != dim)
    return mapParts(*v, v->axis, [&](const ViewPtr &p) { return subSampleView(p, dim, step); });
  if (v->kind == View::Kind::Leaf) {
    Factors f = factorsOf(*v, dim);
    if (f.empty() || f.size() == 1 || f.back().count % step == 0) {
      if (!f.empty())
        f.back() = {(f.back().count + step - 1) / step, f.back().stride * static_cast<std::ptrdiff_t>(step)};
      return withFactors(*v, dim, f, v->offset);
    }
  }
  std::vector<ViewPtr> parts;
  for (std::size_t i = 0; i < size; ++i)
    parts.push_back(sliceView(v, dim, i * step, i * step + 1));
  return concatViews(parts, dim);
}

ViewPtr broadcastView(const ViewPtr &v, unsigned dim, std::size_t n) {
  if (n == 0 || v->kind == View::Kind::Empty)
    return makeEmpty(withDim(v->shape, dim, v->shape[dim] * n));
  if (v->kind == View::Kind::Leaf) {
    Factors f = factorsOf(*v, dim);
    f.insert(f.begin(), {n, 0});
    return withFactors(*v, dim, f, v->offset);
  }
  if (v->axis != dim)
    return mapParts(*v, v->axis, [&](const ViewPtr &p) { return broadcastView(p, dim, n); });
  return concatViews(std::vector<ViewPtr>(n, v), dim);
}

ViewPtr upsampleView(const ViewPtr &v, unsigned dim, std::size_t n) {
  if (n == 0 || v->kind == View::Kind::Empty)
    return makeEmpty(withDim(v->shape, dim, v->shape[dim] * n));
  if (v->kind == View::Kind::Concat)
    return mapParts(*v, v->axis, [&](const ViewPtr &p) { return upsampleView(p, dim, n); });
  Factors f = factorsOf(*v, dim);
  f.push_back({n, 0});
  return withFactors(*v, dim, f, v->offset);
}

bool sameView(const View &a, const View &b) {
  if (a.kind != b.kind || a.shape != b.shape)
    return false;
  if (a.kind == View::Kind::Leaf)
    return a.var == b.var && a.offset == b.offset && a.factors == b.factors && a.split == b.split;
  if (a.axis != b.axis || a.parts.size() != b.parts.size())
    return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (a.parts[i] != b.parts[i] && !sameView(*a.parts[i], *b.parts[i]))
      return false;
  return true;
}

void forEachVariable(const View &v, const std::function<void(const Variable &)> &f) {
  if (v.kind == View::Kind::Leaf)
    f(*v.var);
  for (const ViewPtr &p : v.parts)
    forEachVariable(*p, f);
}

} // namespace dace_ipu_sim
