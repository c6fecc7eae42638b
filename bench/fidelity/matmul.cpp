// One matrix product with operands in the layout of the plan, or a chain of two:
//
//     matmul <machine> <type> <availableMemoryProportion> <m> <k> <n> [<n2>]
//
// computes [m, k] x [k, n] (x [n, n2]) on all tiles of one IPU ("ipu2", "bow", ...) and prints the plans.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

using namespace poplar;

int main(int argc, char **argv) {
  if (argc < 7) {
    std::cerr << "usage: matmul <machine> <type> <availableMemoryProportion> <m> <k> <n> [<n2>]\n";
    return 2;
  }
  const Device device = IPUModel(argv[1]).createDevice();
  const Type type = std::string(argv[2]) == "half" ? HALF : FLOAT;
  const OptionFlags options{{"availableMemoryProportion", argv[3]}};
  std::vector<std::size_t> sizes;
  for (int i = 4; i < argc; ++i)
    sizes.push_back(std::strtoul(argv[i], nullptr, 10));

  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  program::Sequence prog;
  poplin::matmul::PlanningCache cache;
  Tensor a = poplin::createMatMulInputLHS(graph, type, {sizes[0], sizes[1]}, {sizes[1], sizes[2]}, "a", options, &cache);
  for (std::size_t i = 2; i < sizes.size(); ++i) {
    const std::vector<std::size_t> left{sizes[0], sizes[i - 1]}, right{sizes[i - 1], sizes[i]};
    poplin::matMulReportPlan(std::cout, graph, type, type, left, right, options, &cache);
    const Tensor b = poplin::createMatMulInputRHS(graph, type, left, right, "b", options, &cache);
    a = poplin::matMul(graph, a, b, prog, "matmul " + std::to_string(i - 1), options, &cache);
  }
  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
}
