// y = A x for a sparse matrix in CSR, twenty times. Every tile owns some rows and gets just the elements of x they need.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class Rows : public MultiVertex {
public:
  Input<Vector<unsigned>> starts; // one more than rows
  Input<Vector<unsigned>> columns;
  Input<Vector<float, VectorLayout::ONE_PTR>> values;
  Input<Vector<float>> x;
  Output<Vector<float>> y;

  bool compute(unsigned worker) {
    for (unsigned row = worker; row < y.size(); row += numWorkers()) {
      float sum = 0;
      for (unsigned i = starts[row]; i < starts[row + 1]; ++i)
        sum += values[i] * x[columns[i]];
      y[row] = sum;
    }
    return true;
  }
};

#else

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <iostream>
#include <map>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

struct Csr {
  std::vector<unsigned> starts{0}, columns;
  std::vector<float> values;
};

static Csr randomMatrix(unsigned n) {
  std::mt19937 random(7);
  Csr a;
  for (unsigned row = 0; row < n; ++row) {
    for (unsigned column = row % 5; column < n; column += 1 + random() % 15) {
      a.columns.push_back(column);
      a.values.push_back(0.05f * static_cast<float>(random() % 9));
    }
    a.starts.push_back(static_cast<unsigned>(a.columns.size()));
  }
  return a;
}

template <typename T> Tensor constantOn(Graph &graph, unsigned tile, const Type &type, const std::vector<T> &values) {
  const Tensor t = graph.addConstant<T>(type, {values.size()}, values);
  graph.setTileMapping(t, tile);
  return t;
}

// The rows of one tile, whose columns are numbered in the order in which the tile meets them.
static void addRows(Graph &graph, ComputeSet cs, unsigned tile, const Interval &rows, const Csr &a, const Tensor &x,
                    const Tensor &y) {
  const unsigned first = a.starts[rows.begin()], last = a.starts[rows.end()];
  std::map<unsigned, unsigned> places;
  std::vector<unsigned> starts, columns;
  std::vector<Tensor> needed;
  for (std::size_t row = rows.begin(); row <= rows.end(); ++row)
    starts.push_back(a.starts[row] - first);
  for (unsigned i = first; i < last; ++i) {
    const auto found = places.emplace(a.columns[i], places.size());
    columns.push_back(found.first->second);
    if (found.second)
      needed.push_back(x.slice(a.columns[i], a.columns[i] + 1));
  }
  const std::vector<float> values(a.values.begin() + first, a.values.begin() + last);
  const VertexRef v = graph.addVertex(cs, "Rows",
                                      {{"starts", constantOn(graph, tile, UNSIGNED_INT, starts)},
                                       {"columns", constantOn(graph, tile, UNSIGNED_INT, columns)},
                                       {"values", constantOn(graph, tile, FLOAT, values)},
                                       {"x", concat(needed)},
                                       {"y", y.slice(rows)}});
  graph.setTileMapping(v, tile);
}

int main() {
  constexpr unsigned n = 200, times = 20;
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);
  const Csr a = randomMatrix(n);
  const Tensor x = graph.addVariable(FLOAT, {n}, "x");
  poputil::mapTensorLinearly(graph, x);
  const Tensor y = graph.clone(x, "y");
  const ComputeSet cs = graph.addComputeSet("spmv");
  const auto mapping = graph.getTileMapping(y);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &rows : mapping[tile])
      addRows(graph, cs, tile, rows, a, x, y);
  graph.createHostWrite("x", x);
  graph.createHostRead("x", x);

  std::vector<float> v(n, 1.0f), next(n), result(n);
  Engine engine(graph, Repeat(times, Sequence{Execute(cs), Copy(y, x)}));
  engine.load(device);
  engine.writeTensor("x", v.data(), v.data() + n);
  engine.run();
  engine.readTensor("x", result.data(), result.data() + n);

  for (unsigned i = 0; i < times; ++i, v = next)
    for (unsigned row = 0; row < n; ++row) {
      next[row] = 0;
      for (unsigned k = a.starts[row]; k < a.starts[row + 1]; ++k)
        next[row] += a.values[k] * v[a.columns[k]];
    }
  bool same = std::isfinite(v[0]) && v[0] != 1.0f;
  for (unsigned row = 0; row < n; ++row)
    same = same && std::abs(result[row] - v[row]) <= 1e-5f * std::abs(v[row]);
  std::cout << (same ? "same as the host" : "different from the host") << '\n';
}

#endif
