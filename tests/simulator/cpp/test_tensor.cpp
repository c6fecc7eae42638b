// Tensor views against the plainest model there is: a list of element numbers.
#include "fixture.hpp"

#include <algorithm>
#include <functional>
#include <random>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;

struct Model {
  Shape shape;
  std::vector<std::size_t> elements; // row-major, as (variable << 32 | index)
};

std::size_t product(const Shape &s) {
  std::size_t n = 1;
  for (const std::size_t x : s)
    n *= x;
  return n;
}

Shape indexOf(std::size_t flat, const Shape &shape) {
  Shape index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

std::size_t flatOf(const Shape &index, const Shape &shape) {
  std::size_t flat = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    flat = flat * shape[d] + index[d];
  return flat;
}

// A model of the new shape whose element at `index` is that of the old one at source(index).
Model rebuilt(const Model &m, const Shape &shape, const std::function<Shape(const Shape &)> &source) {
  Model r{shape, {}};
  for (std::size_t i = 0; i < product(shape); ++i)
    r.elements.push_back(m.elements[flatOf(source(indexOf(i, shape)), m.shape)]);
  return r;
}

Model modelOf(unsigned variable, const Shape &shape) {
  Model m{shape, {}};
  for (std::size_t i = 0; i < product(shape); ++i)
    m.elements.push_back(std::size_t(variable) << 32 | i);
  return m;
}

std::vector<std::size_t> elementsOf(const Tensor &t) {
  std::vector<std::size_t> elements;
  for (const VariableInterval &r : t.getVarRegions())
    for (std::size_t i = r.interval.begin(); i < r.interval.end(); ++i)
      elements.push_back(std::size_t(r.var.id()) << 32 | i);
  return elements;
}

bool agrees(const Tensor &t, const Model &m) {
  return t.shape() == m.shape && t.numElements() == m.elements.size() && elementsOf(t) == m.elements;
}

struct Pair {
  Tensor t;
  Model m;
};

class Walk {
public:
  explicit Walk(unsigned seed) : random_(seed), graph_(Fixture::makeDevice(4)) {}

  void run(unsigned steps) {
    Pair p = fresh(randomShape());
    for (unsigned i = 0; i < steps && !p.m.shape.empty() && p.m.elements.size() < 3000; ++i) {
      p = step(p);
      if (!agrees(p.t, p.m)) {
        check::fail(__FILE__, __LINE__, "view and model differ after " + history_);
        return;
      }
      checkProperties(p);
    }
  }

private:
  std::size_t below(std::size_t n) { return random_() % n; }
  Shape randomShape() {
    Shape s(1 + below(3));
    for (std::size_t &x : s)
      x = 1 + below(6);
    return s;
  }
  Pair fresh(const Shape &shape) {
    const Tensor t = graph_.addVariable(FLOAT, shape);
    return {t, modelOf(variables_++, shape)};
  }

  Pair step(const Pair &p) {
    static const std::vector<std::pair<const char *, Pair (Walk::*)(const Pair &, unsigned)>> steps = {
        {"slice", &Walk::slice},          {"shuffle", &Walk::shuffle},     {"reverse", &Walk::reverse},
        {"subSample", &Walk::subSample},  {"broadcast", &Walk::broadcast}, {"upsample", &Walk::upsample},
        {"reshape", &Walk::reshape},      {"flatten", &Walk::flatten},     {"concat", &Walk::concatenate},
        {"self", &Walk::concatenateSelf}, {"index", &Walk::index}};
    const auto &chosen = steps[below(steps.size())];
    history_ += std::string(chosen.first) + " ";
    return (this->*chosen.second)(p, static_cast<unsigned>(below(p.m.shape.size())));
  }

  Pair slice(const Pair &p, unsigned d) {
    const std::size_t b = below(p.m.shape[d]), e = b + 1 + below(p.m.shape[d] - b);
    Shape shape = p.m.shape;
    shape[d] = e - b;
    return {p.t.slice(b, e, d), rebuilt(p.m, shape, [&](Shape i) {
              i[d] += b;
              return i;
            })};
  }
  Pair index(const Pair &p, unsigned) {
    if (p.m.shape.size() < 2)
      return p;
    const std::size_t at = below(p.m.shape[0]);
    return {p.t[at], rebuilt(p.m, Shape(p.m.shape.begin() + 1, p.m.shape.end()), [&](Shape i) {
              i.insert(i.begin(), at);
              return i;
            })};
  }
  Pair shuffle(const Pair &p, unsigned) {
    std::vector<unsigned> perm(p.m.shape.size());
    Shape shape(perm.size());
    for (unsigned i = 0; i < perm.size(); ++i)
      perm[i] = i;
    std::shuffle(perm.begin(), perm.end(), random_);
    for (unsigned i = 0; i < perm.size(); ++i)
      shape[i] = p.m.shape[perm[i]];
    return {p.t.dimShuffle(perm), rebuilt(p.m, shape, [&](const Shape &i) {
              Shape s(i.size());
              for (unsigned d = 0; d < i.size(); ++d)
                s[perm[d]] = i[d];
              return s;
            })};
  }
  Pair reverse(const Pair &p, unsigned d) {
    return {p.t.reverse(d), rebuilt(p.m, p.m.shape, [&](Shape i) {
              i[d] = p.m.shape[d] - 1 - i[d];
              return i;
            })};
  }
  Pair subSample(const Pair &p, unsigned d) {
    const unsigned k = 1 + static_cast<unsigned>(below(3));
    Shape shape = p.m.shape;
    shape[d] = (shape[d] + k - 1) / k;
    return {p.t.subSample(k, d), rebuilt(p.m, shape, [&](Shape i) {
              i[d] *= k;
              return i;
            })};
  }
  Pair broadcast(const Pair &p, unsigned d) {
    const unsigned n = 1 + static_cast<unsigned>(below(3));
    Shape shape = p.m.shape;
    shape[d] *= n;
    return {p.t.broadcast(n, d), rebuilt(p.m, shape, [&](Shape i) {
              i[d] %= p.m.shape[d];
              return i;
            })};
  }
  Pair upsample(const Pair &p, unsigned d) {
    const unsigned n = 1 + static_cast<unsigned>(below(3));
    Shape shape = p.m.shape;
    shape[d] *= n;
    return {p.t.upsample(n, d, UpsampleMethod::REPEAT), rebuilt(p.m, shape, [&](Shape i) {
              i[d] /= n;
              return i;
            })};
  }
  Pair flatten(const Pair &p, unsigned) { return {p.t.flatten(), {{p.m.elements.size()}, p.m.elements}}; }
  Pair reshape(const Pair &p, unsigned) {
    Shape shape;
    std::size_t rest = p.m.elements.size();
    for (std::size_t f = 2; f <= rest && shape.size() < 3; ++f)
      if (rest % f == 0 && below(2)) {
        shape.push_back(f);
        rest /= f;
      }
    shape.push_back(rest);
    std::shuffle(shape.begin(), shape.end(), random_);
    return {p.t.reshape(shape), {shape, p.m.elements}};
  }
  Pair concatenate(const Pair &p, unsigned d) {
    Shape shape = p.m.shape;
    shape[d] = 1 + below(4);
    const Pair other = fresh(shape);
    return below(2) ? join(p, other, d) : join(other, p, d);
  }
  Pair concatenateSelf(const Pair &p, unsigned d) { return join(p, slice(p, d), d); }
  Pair join(const Pair &a, const Pair &b, unsigned d) {
    if (a.m.shape.size() != b.m.shape.size())
      return a;
    Model m{a.m.shape, {}};
    m.shape[d] += b.m.shape[d];
    for (unsigned k = 0; k < m.shape.size(); ++k)
      if (k != d && a.m.shape[k] != b.m.shape[k])
        return a;
    for (std::size_t i = 0; i < product(m.shape); ++i) {
      Shape at = indexOf(i, m.shape);
      const bool first = at[d] < a.m.shape[d];
      at[d] -= first ? 0 : a.m.shape[d];
      const Model &from = first ? a.m : b.m;
      m.elements.push_back(from.elements[flatOf(at, from.shape)]);
    }
    return {concat(a.t, b.t, d), m};
  }

  void checkProperties(const Pair &p) {
    std::vector<std::size_t> sorted = p.m.elements;
    std::sort(sorted.begin(), sorted.end());
    const bool aliases = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    bool contiguous = true;
    for (std::size_t i = 1; i < p.m.elements.size(); ++i)
      contiguous = contiguous && p.m.elements[i] == p.m.elements[i - 1] + 1;
    CHECK_EQ(p.t.containsAliases(), aliases);
    CHECK_EQ(p.t.isContiguous(), contiguous);
  }

  std::mt19937 random_;
  Graph graph_;
  unsigned variables_ = 0;
  std::string history_;
};

} // namespace

TEST(random_views_agree_with_the_model) {
  for (unsigned seed = 0; seed < 1500; ++seed)
    Walk(seed).run(10);
}

TEST(big_views_cost_nothing) {
  Graph graph(Fixture::makeDevice(4));
  Tensor t = graph.addVariable(FLOAT, {4096, 4096});
  for (int i = 0; i < 1000; ++i) {
    const Tensor u = t.transpose().flatten().reshape({2048, 2, 64, 64}).slice(1, 2000).dimShuffle({3, 1, 2, 0});
    CHECK_EQ(u.numElements(), std::size_t(1999) * 2 * 64 * 64);
    CHECK(!concat(t, t).broadcast(1000, 0).flatten().isParallelWriteable());
  }
}

TEST(mapping_returns_what_was_set_and_the_last_call_wins) {
  Fixture f(4);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 60;
    const Tensor t = f.graph.addVariable(FLOAT, {n});
    std::vector<int> tiles(n, -1);
    for (int call = 0; call < 30; ++call) {
      const std::size_t b = random() % n, e = b + random() % (n - b + 1);
      const unsigned tile = random() % 4;
      f.graph.setTileMapping(t.slice(b, e), tile);
      std::fill(tiles.begin() + b, tiles.begin() + e, tile);
      if (call % 7 != 0)
        continue;
      bool complete = false;
      const auto mapping = f.graph.getTileMapping(t, &complete);
      std::vector<int> seen(n, -1);
      for (unsigned k = 0; k < mapping.size(); ++k)
        for (const Interval &i : mapping[k])
          std::fill(seen.begin() + i.begin(), seen.begin() + i.end(), k);
      CHECK_EQ(seen, tiles);
      CHECK_EQ(complete, std::count(tiles.begin(), tiles.end(), -1) == 0);
    }
  }
}

TEST(mapping_of_transposed_and_partly_mapped_tensors) {
  Fixture f(4);
  const Tensor m = f.graph.addVariable(FLOAT, {3, 4}, "matrix");
  f.graph.setTileMapping(m.transpose().slice(1, 3), 2);
  const auto mapping = f.graph.getTileMapping(m, false);
  CHECK_EQ(mapping.size(), 4u);
  CHECK_EQ(mapping[2], (std::vector<Interval>{{1, 3}, {5, 7}, {9, 11}}));
  CHECK_THROWS(f.graph.getTileMapping(m), invalid_tile_mapping, "element 0 of tensor 'matrix'");
  f.graph.setTileMapping(m, {{{0, 6}}, {{6, 12}}});
  CHECK_EQ(f.graph.getTileMapping(m.transpose())[0].size(), 4u);
  const Tensor copy = f.graph.clone(m.transpose(), "copy");
  CHECK_EQ(f.graph.getTileMapping(copy), f.graph.getTileMapping(m.transpose()));
}

TEST(mapping_of_any_tensor_by_intervals) {
  Fixture f(4);
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random() % 12, columns = 1 + random() % 12;
    const Tensor plain = f.graph.addVariable(FLOAT, {rows, columns});
    const Tensor turned = f.graph.addVariable(FLOAT, {columns, rows}).transpose();
    const Tensor other = f.graph.addVariable(FLOAT, {rows * columns}).reverse(0);
    f.graph.setTileMapping(plain, 0);
    for (int block = 0; block < 4; ++block) { // some in rows of each other, so that there are irregular intervals too
      const std::size_t top = random() % rows, left = random() % columns;
      const std::size_t bottom = top + random() % (rows - top + 1), right = left + random() % (columns - left + 1);
      f.graph.setTileMapping(plain.slice({top, left}, {bottom, right}), random() % 4);
    }
    const auto mapping = f.graph.getTileMapping(plain);
    f.graph.setTileMapping(turned, mapping);
    f.graph.setTileMapping(other, mapping);
    CHECK_EQ(f.graph.getTileMapping(turned), mapping);
    CHECK_EQ(f.graph.getTileMapping(other), mapping);
  }
}

TEST(virtual_graphs_number_their_own_tiles) {
  Fixture f(8);
  Graph upper = f.graph.createVirtualGraph(4, 8);
  CHECK_EQ(upper.getTarget().getNumTiles(), 4u);
  const Tensor t = upper.addVariable(FLOAT, {4});
  upper.setTileMapping(t, 1);
  CHECK_EQ(upper.getTileMapping(t)[1].size(), 1u);
  CHECK_EQ(f.graph.getTileMapping(t)[5].size(), 1u);
  CHECK_THROWS(upper.setTileMapping(t, 4), invalid_tile_mapping, "tile 4 does not exist");
}

TEST(virtual_graphs_take_tiles_of_any_ipu) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.numIPUs = 3;
  Fixture f(model.createDevice());
  const auto targetOf = [&](unsigned lower, unsigned upper) {
    const Graph part = f.graph.createVirtualGraph(lower, upper);
    return std::make_pair(part.getTarget().getNumIPUs(), part.getTarget().getNumTiles());
  };
  CHECK_EQ(targetOf(4, 8), std::make_pair(1u, 4u));   // the second IPU
  CHECK_EQ(targetOf(2, 6), std::make_pair(2u, 4u));   // halves of two IPUs
  CHECK_EQ(targetOf(3, 6), std::make_pair(1u, 3u));   // unequal parts count as one
  CHECK_EQ(f.graph.createVirtualGraph(2).getTarget().getNumTiles(), 6u);
  Graph second = f.graph.createVirtualGraph(4, 8);
  const Tensor t = second.addVariable(FLOAT, {1});
  second.setTileMapping(t, 1);
  CHECK_EQ(f.graph.getTileMapping(t)[5].size(), 1u);
  CHECK_THROWS(f.graph.createVirtualGraph(9, 13), invalid_tile_mapping, "tile 12 does not exist");
}

TEST(sorted_contiguous_regions_and_rearranging) {
  Fixture f(4);
  const Tensor t = f.graph.addVariable(FLOAT, {4, 3});
  const Tensor u = t.transpose().flatten();
  const auto regions = f.graph.getSortedContiguousRegions(u, {{0, 12}});
  CHECK_EQ(regions.size(), 1u);
  CHECK_EQ(regions[0].size(), 12u);
  Tensor a = u, b = f.graph.addVariable(FLOAT, {12});
  const Tensor original = b;
  f.graph.reorderToSimplify(&a, {&b});
  CHECK(a.isContiguous());
  CHECK(f.graph.getSimplifyingRearranger(u).undoRearrangement(b) == original);
}
