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
  for (Replica *r : all_)
    r->callbacks[stream] = nullptr;
  streams_[stream] = {begin, bytes == npos ? wanted : bytes, 0};
}

namespace {

// What was prefetched from the callback that goes is of no use any more.
void replaceCallback(std::shared_ptr<CallbackEnd> &slot, std::shared_ptr<CallbackEnd> end) {
  if (slot && slot->hasAhead) {
    slot->hasAhead = false;
    slot->callback->invalidatePrefetched();
  }
  slot = std::move(end);
}

} // namespace

void EngineCore::connect(unsigned stream, unsigned replicaIndex, poplar::StreamCallbackHandle callback) {
  replaceCallback(replica(replicaIndex).callbacks.at(stream), std::make_shared<CallbackEnd>(std::move(callback)));
}

void EngineCore::connectAll(unsigned stream, poplar::StreamCallbackHandle callback) {
  const auto end = std::make_shared<CallbackEnd>(std::move(callback));
  for (Replica *r : all_)
    replaceCallback(r->callbacks.at(stream), end);
}

Replica &EngineCore::replica(unsigned index) {
  if (index >= all_.size())
    throw poplar::index_error("replica", std::to_string(index) + " of " + std::to_string(all_.size()));
  return *all_[index];
}

void EngineCore::connectHostFunction(const std::string &handle, unsigned replicaIndex,
                                     poplar::Engine::HostFunctionCallback f) {
  const auto &functions = plan_->graph->hostFunctions;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].handle == handle) {
      replica(replicaIndex).hostFunctions[i] = std::move(f);
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

// Leaves the data of one transfer in buffer_, and asks for the next one ahead of need.
void EngineCore::fetch(CallbackEnd &end, std::size_t bytes) {
  using Result = poplar::StreamCallbackBase::Result;
  poplar::StreamCallbackBase &callback = *end.callback;
  if (end.hasAhead)
    buffer_.assign(end.ahead.begin(), end.ahead.end());
  else
    callback.fetch((buffer_.resize(bytes), buffer_.data()));
  callback.complete();
  end.hasAhead = false;
  if (!prefetches_)
    return;
  end.ahead.resize(bytes);
  end.hasAhead = callback.prefetch(end.ahead.data()) == Result::Success;
}

void EngineCore::streamIn(const Step &step, Replica &r) {
  const auto &end = r.callbacks[step.id];
  if (!end)
    return runCopies(step.copies, r.variables.data(), streamWindow(streams_[step.id], step));
  fetch(*end, step.bytes);
  runCopies(step.copies, r.variables.data(), buffer_.data());
}

// One transfer from the host for all replicas.
void EngineCore::broadcast(const Step &step, const Replicas &replicas) {
  const auto &end = replicas[0]->callbacks[step.id];
  if (end)
    fetch(*end, step.bytes);
  const char *const data = end ? buffer_.data() : streamWindow(streams_[step.id], step);
  for (Replica *r : replicas)
    runCopies(step.copies, r->variables.data(), data);
}

void EngineCore::streamOut(const Step &step, Replica &r) {
  const auto &end = r.callbacks[step.id];
  if (!end)
    return runCopies(step.copies, streamWindow(streams_[step.id], step), r.variables.data());
  buffer_.resize(step.bytes);
  runCopies(step.copies, buffer_.data(), r.variables.data());
  end->callback->fetch(buffer_.data());
  end->callback->complete();
}

char *EngineCore::remoteBlock(unsigned buffer, std::uint64_t repeat, Replica &r) {
  const RemoteBufferRecord &record = plan_->graph->remoteBuffers[buffer];
  if (repeat >= record.repeats)
    throw poplar::index_error("remote buffer '" + record.handle + "'",
                              "repeat " + std::to_string(repeat) + " of " + std::to_string(record.repeats));
  return r.remoteBuffers[buffer].data() + repeat * record.elements * sizeOf(record.type);
}

char *EngineCore::remoteBlock(const std::string &handle, std::uint64_t repeat, unsigned replicaIndex) {
  const auto &buffers = plan_->graph->remoteBuffers;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].handle == handle)
      return remoteBlock(static_cast<unsigned>(i), repeat, replica(replicaIndex));
  throw poplar::stream_connection_error("there is no remote buffer with handle '" + handle + "'");
}

void EngineCore::remoteCopy(const Step &step, Replica &r) {
  char *const variables = r.variables.data();
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    std::uint64_t repeat = 0;
    if (!step.offsets.empty())
      repeat = static_cast<std::uint64_t>(readInteger(step.offsets[i].type, variables + step.offsets[i].offset));
    char *const block = remoteBlock(step.id, repeat, r);
    if (step.kind == ProgramKind::RemoteToTensor)
      runCopies(step.arguments[i], variables, block);
    else
      runCopies(step.arguments[i], block, variables);
  }
}

void EngineCore::hostCall(const Step &step, Replica &r) {
  const auto &f = r.hostFunctions[step.id];
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
    runCopies(step.arguments[i], buffers.back().data(), r.variables.data());
    inputs.push_back(buffers.back().data());
  }
  f(inputs, outputs);
  for (std::size_t i = step.count; i < step.arguments.size(); ++i)
    runCopies(step.arguments[i], r.variables.data(), buffers[i].data());
}

namespace {

const HostTensor &findHandle(const std::vector<HostTensor> &tensors, const std::string &handle, bool loaded,
                             const char *what, std::size_t replicas, std::size_t bytes) {
  if (!loaded)
    throw poplar::tensor_io_state_error(std::string(what) + " '" + handle + "': the engine is not loaded");
  for (const HostTensor &t : tensors) {
    if (t.handle != handle)
      continue;
    if (bytes < t.bytes * replicas)
      throw poplar::index_error(what, "'" + handle + "' has " + std::to_string(t.bytes * replicas) +
                                          " bytes, the host buffer only " + std::to_string(bytes));
    return t;
  }
  throw poplar::tensor_io_state_error(std::string(what) + ": no handle '" + handle + "' was created on the graph");
}

} // namespace

void EngineCore::readTensor(const std::string &handle, char *begin, std::size_t bytes) {
  const HostTensor &t = findHandle(plan_->hostReads, handle, loaded_, "readTensor", all_.size(), bytes);
  for (const Replica *r : all_) {
    checkReads(t.accesses, *r);
    runCopies(t.copies, begin + r->index * t.bytes, r->variables.data());
  }
  hostAccessCycles_ += t.cost.total() * all_.size();
}

void EngineCore::writeTensor(const std::string &handle, const char *begin, std::size_t bytes) {
  const HostTensor &t = findHandle(plan_->hostWrites, handle, loaded_, "writeTensor", all_.size(), bytes);
  for (Replica *r : all_) {
    runCopies(t.copies, r->variables.data(), begin + r->index * t.bytes);
    noteWrites(t.accesses, *r);
  }
  dirty_ = true;
  hostAccessCycles_ += t.cost.total() * all_.size();
}

} // namespace dace_ipu_sim
