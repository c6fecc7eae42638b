// Reshaping: without splitting where the factors divide, else by cutting the flattened view into rows.
#include "view.hpp"
#include "view_leaf.hpp"

#include <algorithm>

namespace dace_ipu_sim {

namespace {

void flattenInto(const ViewPtr &v, std::vector<ViewPtr> &out) {
  if (v->kind == View::Kind::Empty)
    return;
  if (v->kind == View::Kind::Leaf) {
    out.push_back(reshapeLeaf(*v, {v->elements}));
    return;
  }
  if (v->axis == 0) {
    for (const ViewPtr &p : v->parts)
      flattenInto(p, out);
    return;
  }
  for (std::size_t i = 0; i < v->shape[0]; ++i)
    flattenInto(indexView(v, 0, i), out);
}

ViewPtr flat(const ViewPtr &v) {
  if (v->kind == View::Kind::Leaf)
    return reshapeLeaf(*v, {v->elements});
  std::vector<ViewPtr> parts;
  flattenInto(v, parts);
  return concatViews(parts, 0);
}

Shape tail(const Shape &shape) { return Shape(shape.begin() + 1, shape.end()); }

Shape withRows(const Shape &shape, std::size_t rows) {
  Shape s = shape;
  s[0] = rows;
  return s;
}

ViewPtr assemble(const ViewPtr &flatView, const Shape &shape);

// Elements [begin, end) of the flat view as rows of the shape; begin and end lie on row boundaries.
void assembleRows(const ViewPtr &flatView, std::size_t begin, std::size_t end, const Shape &shape,
                  std::vector<ViewPtr> &out) {
  const Shape row = tail(shape);
  const std::size_t size = product(row);
  const ViewPtr part = sliceView(flatView, 0, begin, end);
  if (part->kind == View::Kind::Leaf) {
    if (ViewPtr whole = reshapeLeaf(*part, withRows(shape, (end - begin) / size))) {
      out.push_back(whole);
      return;
    }
  }
  for (std::size_t at = begin; at < end; at += size)
    out.push_back(insertDim(assemble(sliceView(flatView, 0, at, at + size), row), 0));
}

// Cuts a flat concatenation where parts begin and end on row boundaries, so that whole parts stay whole.
std::vector<std::size_t> rowCuts(const View &flatView, std::size_t row) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t i = 0; i + 1 < flatView.starts.size(); ++i) {
    const std::size_t b = (flatView.starts[i] + row - 1) / row * row;
    const std::size_t e = flatView.starts[i + 1] / row * row;
    if (b < e) {
      cuts.push_back(b);
      cuts.push_back(e);
    }
  }
  cuts.push_back(flatView.elements);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

ViewPtr assemble(const ViewPtr &flatView, const Shape &shape) {
  if (shape.empty())
    return removeDim(flatView, 0);
  if (shape.size() == 1)
    return flatView;
  if (flatView->kind == View::Kind::Leaf)
    if (ViewPtr whole = reshapeLeaf(*flatView, shape))
      return whole;
  std::vector<ViewPtr> rows;
  if (flatView->kind == View::Kind::Leaf) {
    assembleRows(flatView, 0, flatView->elements, shape, rows);
  } else {
    const std::vector<std::size_t> cuts = rowCuts(*flatView, product(tail(shape)));
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      assembleRows(flatView, cuts[i], cuts[i + 1], shape, rows);
  }
  return concatViews(rows, 0);
}

// Keeps a concatenation if the new shape has a place for its axis: the dimensions before it have the same product,
// and every part fills whole rows of the dimensions after it.
ViewPtr reshapeConcat(const View &v, const Shape &shape) {
  std::size_t outer = 1;
  for (unsigned d = 0; d < v.axis; ++d)
    outer *= v.shape[d];
  unsigned axis = 0;
  std::size_t before = 1;
  while (axis < shape.size() && before < outer)
    before *= shape[axis++];
  while (axis + 1 < shape.size() && shape[axis] == 1)
    ++axis;
  if (before != outer || axis == shape.size())
    return nullptr;
  const std::size_t row = v.elements / outer / shape[axis];
  std::vector<ViewPtr> parts;
  for (const ViewPtr &p : v.parts) {
    const std::size_t inner = p->elements / outer;
    if (inner % row != 0)
      return nullptr;
    Shape s = shape;
    s[axis] = inner / row;
    parts.push_back(reshapeView(p, s));
  }
  return concatViews(parts, axis);
}

} // namespace

ViewPtr reshapeView(const ViewPtr &v, const Shape &shape) {
  if (v->shape == shape)
    return v;
  if (v->kind == View::Kind::Empty)
    return makeEmpty(shape);
  if (v->kind == View::Kind::Leaf) {
    if (ViewPtr r = reshapeLeaf(*v, shape))
      return r;
  } else if (ViewPtr r = reshapeConcat(*v, shape)) {
    return r;
  }
  return assemble(flat(v), shape);
}

} // namespace dace_ipu_sim
