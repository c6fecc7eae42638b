// Sorts integers over the tiles: each sorts its block, then neighbours merge and split their blocks, odd and even pairs
// in turn, until no block changes.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class SortBlock : public Vertex {
public:
  InOut<Vector<int>> block;

  bool compute() {
    for (unsigned i = 1; i < block.size(); ++i) {
      const int value = block[i];
      unsigned at = i;
      for (; at > 0 && block[at - 1] > value; --at)
        block[at] = block[at - 1];
      block[at] = value;
    }
    return true;
  }
};

// Of two sorted blocks the least elements go to the first. Returns whether they were there already.
class MergeSplit : public Vertex {
public:
  InOut<Vector<int>> first, second;
  Vector<int> merged; // room with the vertex

  bool compute() {
    const unsigned n = first.size(), m = second.size();
    if (first[n - 1] <= second[0])
      return true;
    for (unsigned i = 0, j = 0; i + j < n + m;) {
      const bool takeFirst = j == m || (i < n && first[i] <= second[j]);
      const unsigned at = i + j;
      merged[at] = takeFirst ? first[i++] : second[j++];
    }
    for (unsigned i = 0; i < n; ++i)
      first[i] = merged[i];
    for (unsigned j = 0; j < m; ++j)
      second[j] = merged[n + j];
    return false;
  }
};

#else

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

constexpr unsigned count = 301;

static Tensor blockOf(const Tensor &data, unsigned tile, unsigned tiles) {
  return data.slice(count * tile / tiles, count * (tile + 1) / tiles);
}

static ComputeSet mergePairs(Graph &graph, const Tensor &data, unsigned begin, unsigned tiles) {
  const ComputeSet cs = graph.addComputeSet(begin ? "odd" : "even");
  for (unsigned tile = begin; tile + 1 < tiles; tile += 2) {
    const Tensor first = blockOf(data, tile, tiles), second = blockOf(data, tile + 1, tiles);
    const VertexRef v = graph.addVertex(cs, "MergeSplit", {{"first", first}, {"second", second}});
    graph.setInitialValue(v["merged"], std::vector<int>(first.numElements() + second.numElements()));
    graph.setTileMapping(v, tile);
  }
  return cs;
}

int main() {
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);
  const unsigned tiles = std::min(8u, graph.getTarget().getNumTiles());
  const Tensor data = graph.addVariable(INT, {count}, "data");
  const Tensor evenSorted = graph.addVariable(BOOL, {}, "even sorted"), oddSorted = graph.addVariable(BOOL, {}, "odd sorted");
  graph.setTileMapping(evenSorted, 0);
  graph.setTileMapping(oddSorted, 0);
  const ComputeSet sortBlocks = graph.addComputeSet("sort blocks");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(blockOf(data, tile, tiles), tile);
    graph.setTileMapping(graph.addVertex(sortBlocks, "SortBlock", {{"block", blockOf(data, tile, tiles)}}), tile);
  }
  const Sequence even{Execute(mergePairs(graph, data, 0, tiles), evenSorted)};
  const Sequence odd{Execute(mergePairs(graph, data, 1, tiles), oddSorted)};
  // Once round is enough if the odd pairs change nothing; else go on.
  const Sequence rounds{even, odd, RepeatWhileFalse(Sequence{}, oddSorted, Sequence{even, odd})};
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, count), out = graph.addDeviceToHostFIFO("out", INT, count);
  Engine engine(graph, Sequence{Copy(in, data), Execute(sortBlocks), rounds, Copy(data, out)});

  std::mt19937 random(3);
  std::vector<int> values(count), result(count);
  for (int &value : values)
    value = static_cast<int>(random() % 1000) - 500;
  engine.load(device);
  engine.connectStream("in", values.data(), values.data() + count);
  engine.connectStream("out", result.data(), result.data() + count);
  engine.run();
  std::sort(values.begin(), values.end());
  std::cout << (result == values ? "same as the host" : "different from the host") << '\n';
}

#endif
