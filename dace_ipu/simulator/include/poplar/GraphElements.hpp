// The small handles that name parts of a graph.
#ifndef poplar_GraphElements_hpp
#define poplar_GraphElements_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace poplar {

/// Names a group of vertices that run in parallel.
class ComputeSet {
public:
  ComputeSet() = default;
  explicit ComputeSet(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }
  friend bool operator==(const ComputeSet &a, const ComputeSet &b) { return a.id_ == b.id_; }
  friend bool operator!=(const ComputeSet &a, const ComputeSet &b) { return a.id_ != b.id_; }
  friend bool operator<(const ComputeSet &a, const ComputeSet &b) { return a.id_ < b.id_; }

private:
  unsigned id_ = ~0u;
};

class VertexRef;

/// Names a field of a vertex, or one element of a field that is a list.
class FieldRef {
public:
  FieldRef() = default;
  FieldRef(unsigned vertex, std::string name) : vertex_(vertex), name_(std::move(name)) {}
  FieldRef operator[](std::size_t i) const {
    FieldRef r = *this;
    r.index_ = static_cast<long>(i);
    return r;
  }
  std::size_t getIndex() const { return static_cast<std::size_t>(index_); }
  bool isIndexed() const { return index_ >= 0; }
  std::string getFieldName() const { return name_; }
  inline VertexRef getVertex() const;
  unsigned vertexId() const { return vertex_; }

private:
  unsigned vertex_ = ~0u;
  std::string name_;
  long index_ = -1;
};

/// Names a vertex.
class VertexRef {
public:
  VertexRef() = default;
  explicit VertexRef(unsigned id) : id_(id) {}
  bool isNull() const { return id_ == ~0u; }
  unsigned getId() const { return id_; }
  FieldRef operator[](StringRef field) const { return FieldRef(id_, field.cloneAsString()); }
  FieldRef getField(StringRef field) const { return (*this)[field]; }
  friend bool operator==(const VertexRef &a, const VertexRef &b) { return a.id_ == b.id_; }
  friend bool operator!=(const VertexRef &a, const VertexRef &b) { return a.id_ != b.id_; }
  friend bool operator<(const VertexRef &a, const VertexRef &b) { return a.id_ < b.id_; }

private:
  unsigned id_ = ~0u;
};

inline VertexRef FieldRef::getVertex() const { return VertexRef(vertex_); }

enum class DataStreamType { HostToDeviceFIFO, DeviceToHostFIFO, HostToDeviceBuffer, DeviceToHostBuffer };

inline bool isHostToDevice(DataStreamType t) {
  return t == DataStreamType::HostToDeviceFIFO || t == DataStreamType::HostToDeviceBuffer;
}
inline bool isDeviceToHost(DataStreamType t) { return !isHostToDevice(t); }
inline bool isRemoteBuffer(DataStreamType t) {
  return t == DataStreamType::HostToDeviceBuffer || t == DataStreamType::DeviceToHostBuffer;
}

/// A stream between host and device.
class DataStream {
public:
  DataStream() = default;
  DataStream(unsigned id, std::string handle, Type type, std::size_t numElements, bool toDevice, unsigned replicas,
             ReplicatedStreamMode mode)
      : id_(id), handle_(std::move(handle)), type_(type), numElements_(numElements), toDevice_(toDevice),
        replicas_(replicas), mode_(mode) {}
  unsigned getId() const { return id_; }
  std::string handle() const { return handle_; }
  std::size_t numElements() const { return numElements_; }
  Type elementType() const { return type_; }
  bool isHostToDevice() const { return toDevice_; }
  DataStreamType type() const {
    return toDevice_ ? DataStreamType::HostToDeviceFIFO : DataStreamType::DeviceToHostFIFO;
  }
  unsigned replicationFactor() const { return replicas_; }
  ReplicatedStreamMode replicatedMode() const { return mode_; }

private:
  unsigned id_ = ~0u;
  std::string handle_;
  Type type_;
  std::size_t numElements_ = 0;
  bool toDevice_ = true;
  unsigned replicas_ = 1;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::REPLICATE;
};

/// A buffer in Streaming Memory: `repeats` blocks of `numElements`.
class RemoteBuffer {
public:
  RemoteBuffer() = default;
  RemoteBuffer(unsigned id, std::string handle, Type type, std::size_t numElements, std::size_t repeats,
               bool rearrangeOnHost, bool optimiseMemory)
      : id_(id), handle_(std::move(handle)), type_(type), numElements_(numElements), repeats_(repeats),
        rearrangeOnHost_(rearrangeOnHost), optimiseMemory_(optimiseMemory) {}
  unsigned getId() const { return id_; }
  std::string handle() const { return handle_; }
  std::size_t numElements() const { return numElements_; }
  std::size_t getRepeats() const { return repeats_; }
  bool isRearrangeOnHost() const { return rearrangeOnHost_; }
  bool isOptimisedForMemory() const { return optimiseMemory_; }
  Type elementType() const { return type_; }

private:
  unsigned id_ = ~0u;
  std::string handle_;
  Type type_;
  std::size_t numElements_ = 0;
  std::size_t repeats_ = 0;
  bool rearrangeOnHost_ = false;
  bool optimiseMemory_ = false;
};

/// A control program that is called from several places.
class Function {
public:
  Function() = default;
  explicit Function(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }
  friend bool operator==(const Function &a, const Function &b) { return a.id_ == b.id_; }
  friend bool operator!=(const Function &a, const Function &b) { return a.id_ != b.id_; }
  friend bool operator<(const Function &a, const Function &b) { return a.id_ < b.id_; }

private:
  unsigned id_ = ~0u;
};

/// Type and number of elements of one argument of a host function.
using HostFunctionArgument = std::tuple<Type, std::size_t>;

/// A function on the host that the device program calls.
class HostFunction {
public:
  HostFunction() = default;
  HostFunction(unsigned id, std::string handle) : id_(id), handle_(std::move(handle)) {}
  unsigned getId() const { return id_; }
  std::string handle() const { return handle_; }

private:
  unsigned id_ = ~0u;
  std::string handle_;
};

/// A field name and what to connect to it, for the lists of Graph::addVertex.
class ConnectionDesc {
public:
  ConnectionDesc(StringRef field, Tensor tensor) : field_(field), tensors_(1, std::move(tensor)) {}
  ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
      : field_(field), tensors_(tensors.cloneAsVector()), isList_(true) {}
  template <typename T, typename = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type>
  ConnectionDesc(StringRef field, T value)
      : field_(field), traits_(TypeTraits::make<T>()), values_(reinterpret_cast<const char *>(&value), sizeof(T)) {}
  template <typename T, typename = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type>
  ConnectionDesc(StringRef field, ArrayRef<T> values)
      : field_(field), isList_(true), traits_(TypeTraits::make<T>()),
        values_(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)) {}

  const std::string &field() const { return field_; }
  bool isList() const { return isList_; }
  bool isValue() const { return traits_.size != 0; }
  const std::vector<Tensor> &tensors() const { return tensors_; }
  const TypeTraits &traits() const { return traits_; }
  const std::string &values() const { return values_; }

private:
  std::string field_;
  std::vector<Tensor> tensors_;
  bool isList_ = false;
  TypeTraits traits_ = {0, 0, false, false, false};
  std::string values_;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::ComputeSet> {
  size_t operator()(const poplar::ComputeSet &c) const { return c.getId(); }
};
template <> struct hash<poplar::VertexRef> {
  size_t operator()(const poplar::VertexRef &v) const { return v.getId(); }
};
} // namespace std

#endif
