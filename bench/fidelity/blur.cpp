// A 3x3 Gaussian blur of an image with four channels on Mk1 IPUs, cut into blocks as the published measurements were:
//   blur <half4|float2|float> <IPUs> <width> <height>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t channels = 4;

struct Block {
  std::size_t row, rows, column, columns;
};

// `n` parts of `total`; the first ones are larger by one where it does not divide.
std::vector<std::pair<std::size_t, std::size_t>> parts(std::size_t total, std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (std::size_t i = 0, begin = 0; i < n; begin += result[i].second, ++i)
    result.emplace_back(begin, total / n + (i < total % n ? 1 : 0));
  return result;
}

std::vector<Block> cut(const Block &b, std::size_t rows, std::size_t columns) {
  std::vector<Block> result;
  for (const auto &r : parts(b.rows, rows))
    for (const auto &c : parts(b.columns, columns))
      result.push_back({b.row + r.first, r.second, b.column + c.first, c.second});
  return result;
}

double leftOver(std::size_t total, std::size_t n) {
  return static_cast<double>(total % n) / static_cast<double>(total);
}

// IPUs get stripes; of rows if these divide better.
std::vector<Block> cutForIPUs(const Block &image, std::size_t ipus) {
  const bool byRows = leftOver(image.rows, ipus) < leftOver(image.columns, ipus);
  return byRows ? cut(image, ipus, 1) : cut(image, 1, ipus);
}

// Tiles get blocks that are about square.
std::vector<Block> cutForTiles(const Block &share, std::size_t tiles) {
  const double aspect = static_cast<double>(share.columns) / static_cast<double>(share.rows);
  const auto wanted = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tiles) * aspect)));
  const std::size_t columns = std::min(share.columns, wanted);
  return cut(share, std::min(share.rows, tiles / columns), columns);
}

// Workers get rows or columns, whichever divide better.
std::vector<Block> cutForWorkers(const Block &block) {
  const bool byRows = leftOver(block.rows, 6) <= leftOver(block.columns, 6);
  return byRows ? cut(block, std::min<std::size_t>(6, block.rows), 1)
                : cut(block, 1, std::min<std::size_t>(6, block.columns));
}

class Blur {
public:
  Blur(const Target &target, const std::string &kind, const Block &image)
      : graph(target), codelet("Blur_" + kind), type(kind == "half4" ? HALF : FLOAT), height(image.rows),
        width(image.columns) {
    graph.addCodelets(std::string(FIDELITY_SOURCES) + "/blur_codelets.cpp");
    from = graph.addVariable(type, {height, width, channels}, "from");
    to = graph.addVariable(type, {height, width, channels}, "to");
    step = graph.addComputeSet("blur");
    const std::size_t tiles = target.getTilesPerIPU();
    unsigned first = 0;
    for (const Block &share : cutForIPUs(image, target.getNumIPUs())) {
      unsigned tile = first;
      for (const Block &block : cutForTiles(share, tiles))
        addTile(block, tile++);
      first += static_cast<unsigned>(tiles);
    }
  }

  void addTile(const Block &block, unsigned tile) {
    for (const Tensor &t : {from, to})
      graph.setTileMapping(pixels(t, block), tile);
    for (const Block &part : cutForWorkers(block))
      addVertex(part, tile);
  }

  static Tensor pixels(const Tensor &image, const Block &b) {
    return image.slice({b.row, b.column, 0}, {b.row + b.rows, b.column + b.columns, channels});
  }

  // The pixels `rows` x `columns` at an offset, which may lie outside of the image: zeros.
  Tensor around(long row, std::size_t rows, long column, std::size_t columns, unsigned tile) {
    const long bottom = static_cast<long>(height), right = static_cast<long>(width);
    if (row >= 0 && row < bottom && column >= 0 && column < right)
      return pixels(from, {static_cast<std::size_t>(row), rows, static_cast<std::size_t>(column), columns}).flatten();
    const Tensor zeros = graph.addConstant(type, {rows * columns * channels}, 0.0f, "zeros");
    graph.setTileMapping(zeros, tile);
    return zeros;
  }

  void addVertex(const Block &b, unsigned tile) {
    const VertexRef v = graph.addVertex(step, codelet);
    graph.setTileMapping(v, tile);
    graph.connect(v["in"], pixels(from, b).flatten());
    graph.connect(v["out"], pixels(to, b).flatten());
    const long r = static_cast<long>(b.row), c = static_cast<long>(b.column);
    const long below = r + static_cast<long>(b.rows), behind = c + static_cast<long>(b.columns);
    graph.connect(v["n"], around(r - 1, 1, c, b.columns, tile));
    graph.connect(v["s"], around(below, 1, c, b.columns, tile));
    graph.connect(v["w"], around(r, b.rows, c - 1, 1, tile));
    graph.connect(v["e"], around(r, b.rows, behind, 1, tile));
    graph.connect(v["nw"], around(r - 1, 1, c - 1, 1, tile));
    graph.connect(v["ne"], around(r - 1, 1, behind, 1, tile));
    graph.connect(v["sw"], around(below, 1, c - 1, 1, tile));
    graph.connect(v["se"], around(below, 1, behind, 1, tile));
    graph.setInitialValue(v["width"], static_cast<unsigned>(b.columns));
    graph.setInitialValue(v["height"], static_cast<unsigned>(b.rows));
  }

  Graph graph;
  std::string codelet;
  Type type;
  std::size_t height, width;
  Tensor from, to;
  ComputeSet step;
};

} // namespace

int main(int, char **argv) {
  const auto ipus = static_cast<unsigned>(std::stoul(argv[2]));
  const Target target = Target::createIPUTarget(ipus, "ipu1");
  Blur blur(target, argv[1], {0, std::stoul(argv[4]), 0, std::stoul(argv[3])});
  Engine engine(blur.graph, Execute(blur.step));
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
}
