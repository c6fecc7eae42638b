// A 3x3 Gaussian blur of an image with four channels, as published measurements cut it: every IPU has 38 x 32 tiles, every
// tile six vertices, whose input is one vector with a border of one pixel around.
//   blur <half4|float2|float> <IPUs>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <string>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t width = 2200, height = 1122, channels = 4;

struct Block {
  std::size_t row, rows, column, columns;
};

// Part `i` of `n` parts that differ by one at most: begin and size.
std::pair<std::size_t, std::size_t> part(std::size_t total, std::size_t n, std::size_t i) {
  const std::size_t begin = i * total / n;
  return {begin, (i + 1) * total / n - begin};
}

Block cut(const Block &b, std::size_t rowParts, std::size_t columnParts, std::size_t i) {
  const auto r = part(b.rows, rowParts, i / columnParts), c = part(b.columns, columnParts, i % columnParts);
  return {b.row + r.first, r.second, b.column + c.first, c.second};
}

// The image has a border of one pixel, which lies with its neighbours.
Tensor inside(const Tensor &image, const Block &b) {
  const std::size_t top = b.row == 0 ? 0 : b.row + 1, bottom = b.row + b.rows + (b.row + b.rows == height ? 2 : 1);
  const std::size_t left = b.column == 0 ? 0 : b.column + 1;
  const std::size_t right = b.column + b.columns + (b.column + b.columns == width ? 2 : 1);
  return image.slice({top, left, 0}, {bottom, right, channels});
}

class Blur {
public:
  Blur(const Target &target, const std::string &kind)
      : graph(target), codelet("Blur_" + kind), type(kind == "half4" ? HALF : FLOAT) {
    graph.addCodelets(std::string(FIDELITY_SOURCES) + "/blur_codelets.cpp");
    from = graph.addVariable(type, {height + 2, width + 2, channels}, "from");
    to = graph.addVariable(type, {height + 2, width + 2, channels}, "to");
    step = graph.addComputeSet("blur");
  }

  void build(std::size_t rowsOfIPUs, std::size_t columnsOfIPUs) {
    const std::size_t tilesPerIPU = graph.getTarget().getTilesPerIPU();
    for (std::size_t ipu = 0; ipu < rowsOfIPUs * columnsOfIPUs; ++ipu) {
      const Block share = cut({0, height, 0, width}, rowsOfIPUs, columnsOfIPUs, ipu);
      for (std::size_t tile = 0; tile < 38 * 32; ++tile)
        buildTile(cut(share, 38, 32, tile), static_cast<unsigned>(ipu * tilesPerIPU + tile));
    }
  }

  void buildTile(const Block &block, unsigned tile) {
    graph.setTileMapping(inside(from, block), tile);
    graph.setTileMapping(inside(to, block), tile);
    // Six workers share the rows or the columns, whichever leaves less over.
    const bool byRows = block.rows % 6 * block.columns <= block.columns % 6 * block.rows;
    const std::size_t workers = std::min<std::size_t>(6, byRows ? block.rows : block.columns);
    for (std::size_t w = 0; w < workers; ++w)
      buildVertex(cut(block, byRows ? workers : 1, byRows ? 1 : workers, w), tile);
  }

  void buildVertex(const Block &b, unsigned tile) {
    const VertexRef v = graph.addVertex(step, codelet);
    graph.setTileMapping(v, tile);
    const Tensor in = from.slice({b.row, b.column, 0}, {b.row + b.rows + 2, b.column + b.columns + 2, channels});
    const Tensor out = to.slice({b.row + 1, b.column + 1, 0}, {b.row + b.rows + 1, b.column + b.columns + 1, channels});
    graph.connect(v["in"], in.flatten());
    graph.connect(v["out"], out.flatten());
    graph.setInitialValue(v["width"], static_cast<unsigned>(b.columns));
    graph.setInitialValue(v["height"], static_cast<unsigned>(b.rows));
  }

  Graph graph;
  std::string codelet;
  Type type;
  Tensor from, to;
  ComputeSet step;
};

} // namespace

int main(int, char **argv) {
  const auto ipus = static_cast<unsigned>(std::stoul(argv[2]));
  const std::size_t columns = ipus >= 16 ? 4 : ipus >= 2 ? 2 : 1;
  const Target target = Target::createIPUTarget(ipus, "ipu1");
  Blur blur(target, argv[1]);
  blur.build(ipus / columns, columns);
  Engine engine(blur.graph, Execute(blur.step));
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
}
