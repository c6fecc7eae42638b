// A lattice-Boltzmann fluid (D2Q9, BGK) on a torus with an obstacle. Tiles own blocks of rows and get the two rows beside.
#if defined(__POPC__)
#include <poplar/Vertex.hpp>
#endif

#include <cstddef>

// Pulls the nine populations of cell (y, x), lets them collide, and stores them. Used by the tiles and by the host.
template <typename In, typename Out>
void updateCell(const In &in, Out &out, const int *solid, int y, int x, int width, float omega) {
  constexpr int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  constexpr float weight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  float f[9], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    f[k] = in[k][(y + 1 - ey[k]) * width + (x - ex[k] + width) % width]; // the block begins a row early
    rho += f[k];
    ux += ex[k] * f[k];
    uy += ey[k] * f[k];
  }
  ux /= rho;
  uy /= rho;
  for (int k = 0; k < 9; ++k) {
    const float eu = ex[k] * ux + ey[k] * uy;
    const float equilibrium = weight[k] * rho * (1 + 3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy));
    out[k][y * width + x] = solid[y * width + x] ? f[opposite[k]] : f[k] + omega * (equilibrium - f[k]);
  }
}

#if defined(__POPC__)

using namespace poplar;

class Stream : public MultiVertex {
public:
  Vector<Input<Vector<float>>> in; // nine, of rows + 2 rows
  Vector<Output<Vector<float>>> out;
  Input<Vector<int>> solid;
  int rows, width;
  float omega;

  bool compute(unsigned worker) {
    for (int y = worker; y < rows; y += numWorkers())
      for (int x = 0; x < width; ++x)
        updateCell(in, out, &solid[0], y, x, width, omega);
    return true;
  }
};

#else

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

using namespace poplar;
using namespace poplar::program;

constexpr unsigned height = 20, width = 16, steps = 10, bands = 3;
constexpr float omega = 1.2f;

// Rows `begin - 1` to `end` of population k, around the torus.
static Tensor withHalo(const Tensor &f, unsigned begin, unsigned end) {
  const Tensor before = f[(begin + height - 1) % height], after = f[end % height];
  return concat({before, f.slice(begin, end).flatten(), after});
}

static Program step(Graph &graph, const Tensor &from, const Tensor &to, const Tensor &solid) {
  const ComputeSet cs = graph.addComputeSet("step");
  for (unsigned tile = 0; tile < bands; ++tile) {
    const unsigned begin = height * tile / bands, end = height * (tile + 1) / bands;
    const VertexRef v = graph.addVertex(cs, "Stream", {{"solid", solid.slice(begin, end).flatten()}});
    graph.setFieldSize(v["in"], 9);
    graph.setFieldSize(v["out"], 9);
    for (unsigned k = 0; k < 9; ++k) {
      graph.connect(v["in"][k], withHalo(from[k], begin, end));
      graph.connect(v["out"][k], to[k].slice(begin, end).flatten());
    }
    graph.setInitialValue(v["rows"], end - begin);
    graph.setInitialValue(v["width"], width);
    graph.setInitialValue(v["omega"], omega);
    graph.setTileMapping(v, tile);
  }
  return Execute(cs);
}

static void mapRows(Graph &graph, const Tensor &t, unsigned dimension) {
  for (unsigned tile = 0; tile < bands; ++tile)
    graph.setTileMapping(t.slice(height * tile / bands, height * (tile + 1) / bands, dimension), tile);
}

static void hostStep(std::vector<float> &f, const std::vector<int> &solid) {
  std::vector<std::vector<float>> in(9), out(9, std::vector<float>(height * width));
  for (unsigned k = 0; k < 9; ++k) {
    const auto begin = f.begin() + k * height * width, end = begin + height * width;
    in[k].assign(end - width, end);
    in[k].insert(in[k].end(), begin, end);
    in[k].insert(in[k].end(), begin, begin + width);
  }
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x)
      updateCell(in, out, solid.data(), y, x, width, omega);
  for (unsigned k = 0; k < 9; ++k)
    std::copy(out[k].begin(), out[k].end(), f.begin() + k * height * width);
}

int main() {
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);
  const Tensor a = graph.addVariable(FLOAT, {9, height, width}, "a"), b = graph.clone(a, "b");
  const Tensor solid = graph.addVariable(INT, {height, width}, "solid");
  mapRows(graph, a, 1);
  mapRows(graph, b, 1);
  mapRows(graph, solid, 0);
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, a.numElements());
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, a.numElements());
  graph.createHostWrite("solid", solid);
  const Sequence program{Copy(in, a), Repeat(steps / 2, Sequence{step(graph, a, b, solid), step(graph, b, a, solid)}),
                         Copy(a, out)};

  std::vector<float> f(a.numElements()), result(f.size());
  std::vector<int> wall(height * width);
  for (unsigned i = 0; i < f.size(); ++i)
    f[i] = 0.1f + 0.01f * static_cast<float>(i * 7 % 13);
  for (unsigned y = 8; y < 12; ++y)
    for (unsigned x = 5; x < 9; ++x)
      wall[y * width + x] = 1;

  Engine engine(graph, program);
  engine.load(device);
  engine.connectStream("in", f.data(), f.data() + f.size());
  engine.connectStream("out", result.data(), result.data() + result.size());
  engine.writeTensor("solid", wall.data(), wall.data() + wall.size());
  engine.run();

  const double mass = std::accumulate(f.begin(), f.end(), 0.0);
  for (unsigned i = 0; i < steps; ++i)
    hostStep(f, wall);
  double worst = 0;
  for (unsigned i = 0; i < f.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(f[i]) - result[i]));
  const double kept = std::accumulate(result.begin(), result.end(), 0.0);
  std::cout << (worst < 1e-5 ? "same as the host" : "different from the host") << '\n';
  std::cout << (std::abs(kept - mass) < 1e-3 * mass ? "mass is kept" : "mass is lost") << '\n';
}

#endif
