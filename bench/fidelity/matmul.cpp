// One matrix product with operands in the layout of the plan, or a chain of them.
//
// matmul <target> <tiles> <type> <availableMemoryProportion> <m> <k> <n> [<n2>]
//
// Computes [m, k] x [k, n] (x [n, n2]) on a machine "ipu2", "bow", ... of one IPU (all tiles for 0) and prints what the model says.
// Seconds of building and running go to stderr: they are the simulation's, not the machine's.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>

using namespace poplar;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Device deviceOf(const std::string &target, unsigned tiles) {
  IPUModel model(target.c_str());
  if (tiles)
    model.tilesPerIPU = tiles;
  return model.createDevice();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 8)
    return 2;
  const Device device = deviceOf(argv[1], static_cast<unsigned>(std::atoi(argv[2])));
  const Type type = std::string(argv[3]) == "half" ? HALF : FLOAT;
  const OptionFlags options{{"availableMemoryProportion", argv[4]}};
  std::vector<std::size_t> sizes;
  for (int i = 5; i < argc; ++i)
    sizes.push_back(std::strtoul(argv[i], nullptr, 10));

  const double start = seconds();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  program::Sequence prog;
  poplin::matmul::PlanningCache cache;
  Tensor a = poplin::createMatMulInputLHS(graph, type, {sizes[0], sizes[1]}, {sizes[1], sizes[2]}, "a", options, &cache);
  for (std::size_t i = 2; i < sizes.size(); ++i) {
    const Tensor b =
        poplin::createMatMulInputRHS(graph, type, {sizes[0], sizes[i - 1]}, {sizes[i - 1], sizes[i]}, "b", options, &cache);
    poplin::matMulReportPlan(std::cerr, graph, type, type, {sizes[0], sizes[i - 1]}, {sizes[i - 1], sizes[i]}, options, &cache);
    a = poplin::matMul(graph, a, b, prog, "matmul", options, &cache);
  }
  const double built = seconds();
  Engine engine(graph, prog, {{"debug.allowOutOfMemory", "true"}});
  engine.load(device);
  const double compiled = seconds();
  engine.run(0);
  std::cerr << "graph " << built - start << " s, engine " << compiled - built << " s, run " << seconds() - compiled
            << " s\n";
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
}
