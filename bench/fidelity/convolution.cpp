// A 3x3 convolution of an image with four channels on a Mk1, copied back over it.
//   convolution <half|float> <width> <height> <availableMemoryProportion> [plan]
// prints the plan, and runs it unless told not to.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <string>

using namespace poplar;

int main(int argc, char **argv) {
  const Type type = std::string(argv[1]) == "half" ? HALF : FLOAT;
  const std::size_t width = std::stoul(argv[2]), height = std::stoul(argv[3]);
  const OptionFlags options{{"availableMemoryProportion", argv[4]}, {"pass", "INFERENCE_FWD"}};
  const poplin::ConvParams params(type, type, 1, {height, width}, {3, 3}, 4, 4, 1,
                                  {{0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}},
                                  {{0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}, {false, false}},
                                  {{0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}});
  const Target target = Target::createIPUTarget(1, "ipu1");
  Graph graph(target);
  poplin::reportPlanInfo(std::cout, graph, params, options);
  if (argc > 5)
    return 0;
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  const Tensor image = poplin::createInput(graph, params, "image", options);
  const Tensor weights = poplin::createWeights(graph, params, "weights", options);
  program::Sequence prog;
  const Tensor blurred = poplin::convolution(graph, image, weights, params, false, prog, "blur", options);
  prog.add(program::Copy(blurred, image));
  Engine engine(graph, prog);
  engine.load(Device::createSimulatorDevice(target));
  engine.run();
}
