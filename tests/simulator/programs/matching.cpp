// A stable matching by deferred acceptance (Gale and Shapley): suitors propose, reviewers keep the best so far. The loop
// runs on the device until everyone is matched.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

// One suitor: goes on to the next reviewer of the list if the last one keeps another.
class Propose : public Vertex {
public:
  Input<Vector<int>> preferences;
  Input<Vector<int>> kept; // by each reviewer
  InOut<int> next;         // place in the list
  Output<int> proposal;
  int suitor;

  bool compute() { // whether the suitor is matched
    const bool matched = *next >= 0 && kept[preferences[*next]] == suitor;
    if (!matched)
      *next = *next + 1;
    *proposal = preferences[*next];
    return matched;
  }
};

// One reviewer: keeps the best of those who propose.
class Accept : public Vertex {
public:
  Input<Vector<int>> proposals; // of each suitor
  Input<Vector<int>> ranks;     // of each suitor, 0 is the best
  Output<int> kept;
  int reviewer;

  void compute() {
    int best = -1;
    for (unsigned suitor = 0; suitor < proposals.size(); ++suitor)
      if (proposals[suitor] == reviewer && (best < 0 || ranks[suitor] < ranks[best]))
        best = static_cast<int>(suitor);
    *kept = best;
  }
};

#else

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

constexpr unsigned n = 24;
using Table = std::vector<std::vector<int>>;

static Table randomOrders(std::mt19937 &random) {
  Table orders(n, std::vector<int>(n));
  for (std::vector<int> &order : orders) {
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
  }
  return orders;
}

// The reviewers' matches. The result does not depend on who proposes when.
static std::vector<int> matchedOnHost(const Table &preferences, const Table &ranks) {
  std::vector<int> kept(n, -1), next(n, 0);
  std::vector<int> waiting(n);
  std::iota(waiting.begin(), waiting.end(), 0);
  while (!waiting.empty()) {
    const int suitor = waiting.back(), reviewer = preferences[suitor][next[suitor]++];
    if (kept[reviewer] >= 0 && ranks[reviewer][kept[reviewer]] < ranks[reviewer][suitor])
      continue;
    waiting.pop_back();
    if (kept[reviewer] >= 0)
      waiting.push_back(kept[reviewer]);
    kept[reviewer] = suitor;
  }
  return kept;
}

static void addVertex(Graph &graph, ComputeSet cs, const char *type, unsigned number, const char *field,
                      std::vector<ConnectionDesc> connections) {
  const VertexRef v = graph.addVertex(cs, type, connections);
  graph.setInitialValue(v[field], number);
  graph.setTileMapping(v, number % graph.getTarget().getNumTiles());
}

int main() {
  std::mt19937 random(5);
  const Table preferences = randomOrders(random), ranks = randomOrders(random);
  Device device = DeviceManager::createDeviceManager().getDevice(0);
  if (!device.attach())
    return 1;
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);
  const Tensor kept = graph.addVariable(INT, {n}, "kept"), next = graph.addVariable(INT, {n}, "next");
  const Tensor proposals = graph.addVariable(INT, {n}, "proposals"), done = graph.addVariable(BOOL, {}, "done");
  graph.setTileMapping(done, 0);
  graph.setInitialValue<int>(kept, std::vector<int>(n, -1));
  graph.setInitialValue<int>(next, std::vector<int>(n, -1));
  const ComputeSet propose = graph.addComputeSet("propose"), accept = graph.addComputeSet("accept");
  for (unsigned i = 0; i < n; ++i) {
    const unsigned tile = i % graph.getTarget().getNumTiles();
    for (const Tensor &t : {kept, next, proposals})
      graph.setTileMapping(t[i], tile);
    const Tensor list = graph.addConstant<int>(INT, {n}, preferences[i]), rank = graph.addConstant<int>(INT, {n}, ranks[i]);
    graph.setTileMapping(list, tile);
    graph.setTileMapping(rank, tile);
    addVertex(graph, propose, "Propose", i, "suitor",
              {{"preferences", list}, {"kept", kept}, {"next", next[i]}, {"proposal", proposals[i]}});
    addVertex(graph, accept, "Accept", i, "reviewer", {{"proposals", proposals}, {"ranks", rank}, {"kept", kept[i]}});
  }
  graph.createHostRead("kept", kept);
  Engine engine(graph, RepeatWhileFalse(Execute(propose, done), done, Execute(accept)));
  engine.load(device);
  engine.run();
  std::vector<int> result(n);
  engine.readTensor("kept", result.data(), result.data() + n);
  std::cout << (result == matchedOnHost(preferences, ranks) ? "same as the host" : "different from the host") << '\n';
}

#endif
