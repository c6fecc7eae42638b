#include "view_leaf.hpp"

#include <algorithm>

namespace dace_ipu_sim {

std::size_t countOf(const Factor *begin, const Factor *end) {
  std::size_t n = 1;
  for (; begin != end; ++begin)
    n *= begin->count;
  return n;
}

Factors factorsOf(const View &leaf, unsigned dim) {
  std::size_t first = 0;
  for (unsigned d = 0; d < dim; ++d)
    first += leaf.split[d];
  const auto begin = leaf.factors.begin() + static_cast<std::ptrdiff_t>(first);
  return Factors(begin, begin + leaf.split[dim]);
}

void normalise(Factors &factors) {
  std::size_t kept = 0;
  for (const Factor &f : factors) {
    if (f.count == 1)
      continue;
    if (kept > 0 && factors[kept - 1].stride == f.stride * static_cast<std::ptrdiff_t>(f.count))
      factors[kept - 1] = {factors[kept - 1].count * f.count, f.stride};
    else
      factors[kept++] = f;
  }
  factors.resize(kept);
}

ViewPtr makeEmpty(const Shape &shape) {
  auto v = std::make_shared<View>();
  v->shape = shape;
  return v;
}

ViewPtr makeLeaf(const Variable *var, std::size_t offset, const Shape &shape, const std::vector<Factors> &dims) {
  auto v = std::make_shared<View>();
  v->kind = View::Kind::Leaf;
  v->shape = shape;
  v->elements = product(shape);
  v->var = var;
  v->offset = offset;
  for (Factors f : dims) {
    normalise(f);
    v->split.push_back(static_cast<std::uint8_t>(f.size()));
    v->factors.insert(v->factors.end(), f.begin(), f.end());
  }
  return v;
}

ViewPtr withFactors(const View &leaf, unsigned dim, const Factors &factors, std::size_t offset) {
  auto v = std::make_shared<View>(leaf);
  Factors mine = factors;
  normalise(mine);
  std::size_t first = 0;
  for (unsigned d = 0; d < dim; ++d)
    first += leaf.split[d];
  const auto at = v->factors.begin() + static_cast<std::ptrdiff_t>(first);
  v->factors.erase(at, at + leaf.split[dim]);
  v->factors.insert(v->factors.begin() + static_cast<std::ptrdiff_t>(first), mine.begin(), mine.end());
  v->split[dim] = static_cast<std::uint8_t>(mine.size());
  v->elements = v->elements / v->shape[dim];
  v->shape[dim] = countOf(factors.data(), factors.data() + factors.size());
  v->elements *= v->shape[dim];
  v->offset = offset;
  return v;
}

void slicePieces(const Factor *f, std::size_t n, std::size_t offset, std::size_t begin, std::size_t end,
                 std::vector<LeafPiece> &out) {
  if (n == 0) {
    out.push_back({offset, {}});
    return;
  }
  const std::size_t inner = countOf(f + 1, f + n);
  const auto at = [&](std::size_t i) {
    return offset + static_cast<std::size_t>(f[0].stride * static_cast<std::ptrdiff_t>(i));
  };
  std::size_t first = begin / inner;
  const std::size_t last = end / inner;
  if (first == last) {
    slicePieces(f + 1, n - 1, at(first), begin % inner, end % inner, out);
    return;
  }
  if (begin % inner != 0) {
    slicePieces(f + 1, n - 1, at(first), begin % inner, inner, out);
    ++first;
  }
  if (first < last) {
    Factors rest{{last - first, f[0].stride}};
    rest.insert(rest.end(), f + 1, f + n);
    out.push_back({at(first), rest});
  }
  if (end % inner != 0)
    slicePieces(f + 1, n - 1, at(last), 0, end % inner, out);
}

std::ptrdiff_t offsetAt(const Factor *f, std::size_t n, std::size_t i) {
  std::ptrdiff_t offset = 0;
  while (n-- > 0) {
    offset += f[n].stride * static_cast<std::ptrdiff_t>(i % f[n].count);
    i /= f[n].count;
  }
  return offset;
}

Factors flatFactors(const View &leaf) {
  Factors all = leaf.factors;
  normalise(all);
  return all;
}

ViewPtr reshapeLeaf(const View &leaf, const Shape &shape) {
  Factors all = flatFactors(leaf);
  std::vector<Factors> dims(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::size_t need = shape[d];
    while (need > 1) {
      Factor &f = all.back();
      if (need % f.count == 0) {
        need /= f.count;
        dims[d].insert(dims[d].begin(), f);
        all.pop_back();
      } else if (f.count % need == 0) {
        dims[d].insert(dims[d].begin(), {need, f.stride});
        f = {f.count / need, f.stride * static_cast<std::ptrdiff_t>(need)};
        need = 1;
      } else {
        return nullptr;
      }
    }
  }
  return makeLeaf(leaf.var, leaf.offset, shape, dims);
}

} // namespace dace_ipu_sim
