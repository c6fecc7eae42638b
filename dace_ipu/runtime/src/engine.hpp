// A device program that was built for one set of symbol values: its engine, and the arrays bound to its streams.
#ifndef DACE_IPU_ENGINE_HPP
#define DACE_IPU_ENGINE_HPP

#include "device.hpp"
#include "packing.hpp"

#include <dace_ipu/programs.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dace_ipu {

class BuiltProgram {
public:
  /// Builds, compiles and loads. Throws what Poplar throws.
  BuiltProgram(const char *name, const char *codelets, const Settings &settings, const Build &build)
      : slot(detail::acquire(settings)) {
    poplar::Graph graph(slot->device.getTarget());
    std::stringstream source(codelets);
    graph.addCodelets(source, "-O3 -fwrapv"); // integers wrap around as NumPy's do
    Streams streams(graph);
    const poplar::program::Sequence program = build(graph, streams);
    engine = std::make_unique<poplar::Engine>(std::move(graph), program, poplar::OptionFlags(),
                                              poplar::ProgressFunc(), name);
    for (const Stream &stream : streams.all())
      ports.emplace_back(stream);
    kept = streams.kept();
    load();
  }

  BuiltProgram(const BuiltProgram &) = delete;
  BuiltProgram &operator=(const BuiltProgram &) = delete;
  ~BuiltProgram() {
    if (slot->loaded == this)
      slot->loaded = nullptr;
  }

  /// Runs the program on these arrays. Throws std::invalid_argument if one that it needs is missing or has another size.
  void run(std::initializer_list<HostArray> arrays) {
    if (slot->loaded != this)
      load();
    for (Port &port : ports)
      bind(port, find(port, arrays));
    engine->run(0);
    ++runs;
    for (Port &port : ports) {
      const HostArray &array = find(port, arrays);
      if (!port.stream.toDevice && !isDirect(array, port.stream.type))
        unpack(port.staging.data(), port.stream.type, port.stream.typeSize, array);
    }
  }

#ifdef DACE_IPU_SIMULATOR
  /// The cycles of each step since this was last asked.
  std::vector<dace_ipu_sim::StepCycles> newCycles() {
    std::vector<dace_ipu_sim::StepCycles> steps = dace_ipu_sim::stepCycles(*engine);
    told.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::uint64_t total = steps[i].cycles;
      steps[i].cycles -= std::exchange(told[i], total);
    }
    return steps;
  }
#endif

  std::size_t numRuns() const { return runs; }
  const poplar::Engine &getEngine() const { return *engine; }
  /// The variables that keep their content from one run to the next.
  const std::vector<std::string> &keptVariables() const { return kept; }

private:
  /// A stream, the memory it was connected to last, and a buffer for arrays whose own memory does not fit.
  struct Port {
    explicit Port(const Stream &stream) : stream(stream) {}
    Stream stream;
    std::size_t position = 0; // of the array among the arguments
    const void *bound = nullptr;
    std::vector<char> staging;
  };

  void load() {
    engine->load(slot->device);
    slot->loaded = this;
  }

  /// The array of a port: where it was last time, since the generated code always passes them in the same order.
  static const HostArray &find(Port &port, std::initializer_list<HostArray> arrays) {
    const HostArray *all = arrays.begin();
    if (port.position < arrays.size() && port.stream.array == all[port.position].name)
      return all[port.position];
    for (port.position = 0; port.position < arrays.size(); ++port.position)
      if (port.stream.array == all[port.position].name)
        return all[port.position];
    throw std::invalid_argument("the program copies an array '" + port.stream.array + "' that it was not given");
  }

  void bind(Port &port, const HostArray &array) {
    if (array.numElements() * components(array.type) != port.stream.count)
      throw std::invalid_argument("the array '" + port.stream.array + "' has " + std::to_string(array.numElements()) +
                                  " elements, the graph was built for another number");
    const std::size_t bytes = port.stream.count * port.stream.typeSize;
    char *memory = array.first();
    if (!isDirect(array, port.stream.type)) {
      port.staging.resize(bytes);
      memory = port.staging.data();
      if (port.stream.toDevice)
        pack(array, port.stream.type, port.stream.typeSize, memory);
    }
    if (port.bound != memory)
      engine->connectStream(port.stream.handle, memory, memory + bytes);
    port.bound = memory;
  }

  std::shared_ptr<DeviceSlot> slot;
  std::unique_ptr<poplar::Engine> engine;
  std::vector<Port> ports;
  std::vector<std::string> kept;
  std::size_t runs = 0;
  std::vector<std::uint64_t> told; // cycles of each step when newCycles was last called
};

} // namespace dace_ipu

#endif // DACE_IPU_ENGINE_HPP
