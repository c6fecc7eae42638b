// A 3x3 convolution of an image with four channels on Mk1 IPUs, copied back over it.
//   convolution <half|float> <IPUs> <width> <height> <availableMemoryProportion>
// A plan that does not fit leaves its profile all the same.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <string>

using namespace poplar;

int main(int, char **argv) {
  const Type type = std::string(argv[1]) == "half" ? HALF : FLOAT;
  const Target target = Target::createIPUTarget(static_cast<unsigned>(std::stoul(argv[2])), "ipu1");
  const std::size_t width = std::stoul(argv[3]), height = std::stoul(argv[4]);
  const OptionFlags options{{"availableMemoryProportion", argv[5]}, {"pass", "INFERENCE_FWD"}};
  const poplin::ConvParams params(type, type, 1, {height, width}, {3, 3}, 4, 4, 1,
                                  {{0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}},
                                  {{0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}, {false, false}},
                                  {{0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}});
  Graph graph(target);
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  const Tensor image = poplin::createInput(graph, params, "image", options);
  const Tensor weights = poplin::createWeights(graph, params, "weights", options);
  program::Sequence prog;
  const Tensor blurred = poplin::convolution(graph, image, weights, params, false, prog, "blur", options);
  prog.add(program::Copy(blurred, image));
  poplin::reportPlanInfo(std::cout, graph, params, options);
  try {
    Engine engine(graph, prog);
    engine.load(Device::createSimulatorDevice(target));
    engine.run();
  } catch (const graph_memory_allocation_error &e) {
    std::cout << e.what() << '\n';
    return 3;
  }
}
