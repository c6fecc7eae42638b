// EngineCore: everything that touches host memory.
#include "../core/types.hpp"
#include "copies.hpp"
#include "engine_core.hpp"

#include <poplar/exceptions.hpp>

namespace dace_ipu_sim {

unsigned EngineCore::streamId(const std::string &handle) const {
  const auto &streams = plan_->graph->streams;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams[i].handle == handle)
      return static_cast<unsigned>(i);
  throw poplar::stream_connection_error("there is no stream with handle '" + handle + "'");
}

void EngineCore::connect(unsigned stream, char *begin, std::size_t bytes) {
  const StreamRecord &record = plan_->graph->streams.at(stream);
  const std::size_t wanted = record.elements * sizeOf(record.type);
  if (begin == nullptr && wanted > 0)
    throw poplar::stream_connection_error("stream '" + record.handle + "': the buffer is a null pointer");
  if (bytes != npos && (bytes < wanted || (wanted > 0 && bytes % wanted != 0)))
    throw poplar::stream_connection_error("stream '" + record.handle + "' moves " + std::to_string(wanted) +
                                          " bytes at a time, which do not fit evenly into a buffer of " +
                                          std::to_string(bytes) + " bytes");
  streams_[stream] = {begin, bytes == npos ? wanted : bytes, 0, nullptr};
}

void EngineCore::connect(unsigned stream, poplar::StreamCallbackHandle callback) {
  streams_.at(stream) = {nullptr, 0, 0, std::make_unique<poplar::StreamCallbackHandle>(std::move(callback))};
}

void EngineCore::connectHostFunction(const std::string &handle, poplar::Engine::HostFunctionCallback f) {
  const auto &functions = plan_->graph->hostFunctions;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].handle == handle) {
      hostFunctions_[i] = std::move(f);
      return;
    }
  throw poplar::stream_connection_error("there is no host function with handle '" + handle + "'");
}

// The next stretch of a circular buffer.
char *EngineCore::streamWindow(HostStream &stream, const Step &step) {
  if (!stream.begin && step.bytes > 0)
    throw poplar::stream_connection_error("stream '" + plan_->graph->streams[step.id].handle +
                                          "' is used by the program, but is not connected");
  char *const window = stream.begin + stream.position;
  stream.position += step.bytes;
  if (stream.position >= stream.bytes)
    stream.position = 0;
  return window;
}

void EngineCore::streamIn(const Step &step) {
  HostStream &stream = streams_[step.id];
  if (!stream.callback)
    return runCopies(step.copies, variables(), streamWindow(stream, step));
  buffer_.resize(step.bytes);
  poplar::StreamCallbackBase &callback = **stream.callback;
  callback.fetch(buffer_.data());
  callback.complete();
  runCopies(step.copies, variables(), buffer_.data());
}

void EngineCore::streamOut(const Step &step) {
  HostStream &stream = streams_[step.id];
  if (!stream.callback)
    return runCopies(step.copies, streamWindow(stream, step), variables());
  buffer_.resize(step.bytes);
  runCopies(step.copies, buffer_.data(), variables());
  poplar::StreamCallbackBase &callback = **stream.callback;
  callback.fetch(buffer_.data());
  callback.complete();
}

char *EngineCore::remoteBlock(unsigned buffer, std::uint64_t repeat) {
  const RemoteBufferRecord &record = plan_->graph->remoteBuffers[buffer];
  if (repeat >= record.repeats)
    throw poplar::index_error("remote buffer '" + record.handle + "'",
                              "repeat " + std::to_string(repeat) + " of " + std::to_string(record.repeats));
  return remoteBuffers_[buffer].data() + repeat * record.elements * sizeOf(record.type);
}

char *EngineCore::remoteBlock(const std::string &handle, std::uint64_t repeat) {
  const auto &buffers = plan_->graph->remoteBuffers;
  for (std::size_t i = 0; i < remoteBuffers_.size(); ++i)
    if (buffers[i].handle == handle)
      return remoteBlock(static_cast<unsigned>(i), repeat);
  throw poplar::stream_connection_error("there is no remote buffer with handle '" + handle + "'");
}

void EngineCore::remoteCopy(const Step &step) {
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    std::uint64_t repeat = 0;
    if (!step.offsets.empty())
      repeat = static_cast<std::uint64_t>(readInteger(step.offsets[i].type, variables() + step.offsets[i].offset));
    char *const block = remoteBlock(step.id, repeat);
    if (step.kind == ProgramKind::RemoteToTensor)
      runCopies(step.arguments[i], variables(), block);
    else
      runCopies(step.arguments[i], block, variables());
  }
}

void EngineCore::hostCall(const Step &step) {
  const auto &f = hostFunctions_[step.id];
  if (!f)
    throw poplar::stream_connection_error("host function '" + plan_->graph->hostFunctions[step.id].handle +
                                          "' is called by the program, but is not connected");
  std::vector<std::vector<char>> buffers;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    buffers.emplace_back(step.argumentBytes[i]);
    if (i >= step.count) {
      outputs.push_back(buffers.back().data());
      continue;
    }
    runCopies(step.arguments[i], buffers.back().data(), variables());
    inputs.push_back(buffers.back().data());
  }
  f(inputs, outputs);
  for (std::size_t i = step.count; i < step.arguments.size(); ++i)
    runCopies(step.arguments[i], variables(), buffers[i].data());
}

namespace {

const HostTensor &findHandle(const std::vector<HostTensor> &tensors, const std::string &handle, bool loaded,
                             const char *what, std::size_t bytes) {
  if (!loaded)
    throw poplar::tensor_io_state_error(std::string(what) + " '" + handle + "': the engine is not loaded");
  for (const HostTensor &t : tensors) {
    if (t.handle != handle)
      continue;
    if (bytes < t.bytes)
      throw poplar::index_error(what, "'" + handle + "' has " + std::to_string(t.bytes) +
                                          " bytes, the host buffer only " + std::to_string(bytes));
    return t;
  }
  throw poplar::tensor_io_state_error(std::string(what) + ": no handle '" + handle + "' was created on the graph");
}

} // namespace

void EngineCore::readTensor(const std::string &handle, char *begin, std::size_t bytes) {
  const HostTensor &t = findHandle(plan_->hostReads, handle, loaded_, "readTensor", bytes);
  checkReads(t.accesses);
  runCopies(t.copies, begin, variables());
  hostAccessCycles_ += t.cost.total();
}

void EngineCore::writeTensor(const std::string &handle, const char *begin, std::size_t bytes) {
  const HostTensor &t = findHandle(plan_->hostWrites, handle, loaded_, "writeTensor", bytes);
  runCopies(t.copies, variables(), begin);
  noteWrites(t.accesses);
  dirty_ = true;
  hostAccessCycles_ += t.cost.total();
}

} // namespace dace_ipu_sim
