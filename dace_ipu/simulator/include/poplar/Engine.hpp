// Engine: runs the programs of a graph on a device.
#ifndef poplar_Engine_hpp
#define poplar_Engine_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace dace_ipu_sim {
class EngineCore;
}

namespace pva {
class Report;
}

namespace poplar {

using ProgressFunc = std::function<void(int, int)>;

/// A host function given as a class.
class HostCallback {
public:
  virtual ~HostCallback() = default;
  virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

/// Compiles the graph for these programs; see the README for the checks this makes.
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &opts = {},
                        ProgressFunc progress = {}, const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &opts = {},
                        ProgressFunc progress = {}, const DebugContext &debugContext = {});

/// A compiled graph with its memory and streams. Needs the graph only while it is built.
class Engine {
public:
  using TimerTimePoint = std::chrono::steady_clock::time_point;
  using HostFunctionCallback = std::function<void(ArrayRef<const void *>, ArrayRef<void *>)>;

  Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &opts = {},
         ProgressFunc progress = {}, const DebugContext &debugContext = {});
  Engine(const Graph &graph, program::Program program, const OptionFlags &opts = {}, ProgressFunc progress = {},
         const DebugContext &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &opts = {}, ProgressFunc progress = {},
         const DebugContext &debugContext = {});
  Engine(Graph &&graph, program::Program program, const OptionFlags &opts = {}, ProgressFunc progress = {},
         const DebugContext &debugContext = {});
  Engine(const Executable &executable, const OptionFlags &opts = {});
  Engine(Executable &&executable, const OptionFlags &opts = {});
  Engine(Engine &&other) noexcept;
  Engine &operator=(Engine &&other) noexcept;
  ~Engine();

  void prepare(const Device &device);
  void prepare(const Device &device, const RuntimeOptions &options);
  void deploy();
  /// Sets all variables and vertex fields to their initial values. Throws poplar_error if the target is another one.
  void load(const Device &device);
  /// Runs a program. Throws control_program_error before load or for a program that does not exist,
  /// stream_connection_error if a stream it needs is not connected.
  void run(unsigned prog = 0, const std::string &debugName = "");
  void run(unsigned prog, const std::string &debugName, const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned prog = 0);
  void stop() {}

  // Streams. A buffer is circular, and the replicas of a graph take their turns in it; a callback without a replica
  // serves all of them.
  void connectStream(StringRef handle, void *begin, void *end);
  void connectStream(StringRef handle, void *p);
  void connectStream(const DataStream &stream, void *begin, void *end);
  void connectStream(const DataStream &stream, void *p);
  template <typename T> void connectStream(StringRef handle, ArrayRef<T> data) {
    connectStream(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle f);
  void connectStreamToCallback(StringRef handle, unsigned replicaIndex, StreamCallbackHandle f);
  void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle f);
  void connectStreamToCallback(const DataStream &stream, unsigned replicaIndex, StreamCallbackHandle f);
  void connectHostFunction(StringRef handle, unsigned replica, HostFunctionCallback f);
  void connectHostFunction(StringRef handle, unsigned replica, std::unique_ptr<HostCallback> f);

  /// Copies between host memory and a tensor with a host read or write handle. Throws tensor_io_state_error if there
  /// is no such handle or the engine is not loaded; index_error if [begin, end) is smaller than the tensor. The tensors
  /// of a replicated graph follow each other in the buffer.
  void readTensor(StringRef handle, void *begin, void *end);
  void readTensor(StringRef handle, void *p);
  template <typename T> void readTensor(StringRef handle, ArrayRef<T> data) {
    readTensor(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void writeTensor(StringRef handle, const void *p);
  template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data) {
    writeTensor(handle, data.begin(), data.end());
  }
  void copyFromRemoteBuffer(StringRef handle, void *p, std::uint64_t repeatIndex, unsigned replica = 0);
  void copyToRemoteBuffer(const void *p, StringRef handle, std::uint64_t repeatIndex, unsigned replica = 0);
  void copyFromRemoteBuffer(const RemoteBuffer &buffer, void *p, std::uint64_t repeatIndex, unsigned replica = 0);
  void copyToRemoteBuffer(const void *p, const RemoteBuffer &buffer, std::uint64_t repeatIndex, unsigned replica = 0);

  /// The same with a range of host memory, which must hold a block (index_error).
  template <typename T>
  void copyFromRemoteBuffer(StringRef handle, ArrayRef<T> data, std::uint64_t repeatIndex, unsigned replica = 0) {
    requireBlock(handle, data.size() * sizeof(T));
    copyFromRemoteBuffer(handle, const_cast<T *>(data.data()), repeatIndex, replica);
  }
  template <typename T>
  void copyToRemoteBuffer(ArrayRef<T> data, StringRef handle, std::uint64_t repeatIndex, unsigned replica = 0) {
    requireBlock(handle, data.size() * sizeof(T));
    copyToRemoteBuffer(data.data(), handle, repeatIndex, replica);
  }

  TimerTimePoint getTimeStamp();
  static std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &end);

  void enableExecutionProfiling();
  void disableExecutionProfiling();
  void resetExecutionProfile();
  void printProfileSummary(std::ostream &os, const OptionFlags &opts = {}) const;
  void reportIntervals(std::ostream &os) const;
  ProfileValue getGraphProfile() const;
  ProfileValue getExecutionProfile() const;
  ProfileValue getProfile() const;
  /// The same with the names of libpva, which the program links with and whose header pva/pva.hpp it includes.
  pva::Report getReport(bool reportExecution = true) const;

  std::vector<std::string> listStreams() const;
  OptionFlags getEngineOptions() const;
  void setPrintStream(std::ostream &os);
  void setPrintTensorStream(std::ostream &os);

  /// For the library itself.
  dace_ipu_sim::EngineCore &core() const { return *core_; }

private:
  void requireBlock(StringRef handle, std::size_t bytes) const;
  std::unique_ptr<dace_ipu_sim::EngineCore> core_;
};

} // namespace poplar

#endif
