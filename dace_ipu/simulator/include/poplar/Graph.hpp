// Graph: variables, vertices, their connections and their places on tiles.
#ifndef poplar_Graph_hpp
#define poplar_Graph_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBuffer.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/TensorRearranger.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace dace_ipu_sim {
struct GraphCore;
}

namespace poplar {

StringRef versionString();
StringRef packageHash();

/// The graph under construction. Move-only. Errors that the elements of a call show are thrown by that call; errors
/// that only the finished graph shows (missing mappings, unconnected fields) when an Engine is built from it.
class Graph {
  template <typename T> using IfSimple = typename std::enable_if<TypeTraits::isSimpleType<T>(), int>::type;
  // A pointer argument that the literal 0 converts to less readily than to a number.
  template <typename T> struct PointerTo {
    PointerTo(const T *p) : pointer(p) {}
    const T *pointer;
  };

public:
  using TileToTensorMapping = std::vector<std::vector<Interval>>;
  using HostFunctionArgument = poplar::HostFunctionArgument;
  using ConnectionDesc = poplar::ConnectionDesc;

  Graph();
  explicit Graph(const Target &target, replication_factor r = replication_factor(1));
  explicit Graph(const Device &device, replication_factor r = replication_factor(1));
  Graph(const Target &target, unsigned numReplicas);
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph();

  /// Of one replica: the IPUs of the device, divided by the replication factor.
  const Target &getTarget() const;
  unsigned getReplicationFactor() const;
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned> &perIpuTiles);
  Graph getTopLevelGraph();
  unsigned convertVirtualTileToPhysicalTile(unsigned virtualTileId) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned physicalTileId) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipuId, unsigned ipuPhysicalTileId) const;
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const { return convertPhysicalTileToVirtualTile(tile); }
  /// The form of older SDKs for `replication_factor`: from here on this graph, too, is that of one replica. Throws
  /// graph_replication_error if there is something in it already.
  Graph createReplicatedGraph(unsigned replicationFactor);
  /// Not supported yet: the replicas have memories of their own.
  Tensor getNonReplicatedTensor(const Tensor &t) const;

  // Codelets: a .gp module, or sources that popc compiles (see the README for how it is found).
  bool addCodelets(StringRef src, CodeletFileType type = CodeletFileType::Auto, StringRef compileFlags = "",
                   StringRef targetName = "");
  bool addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags, std::ostream &compileOutput,
                   StringRef targetName = "");
  bool addCodelets(ArrayRef<std::string> srcs, StringRef compileFlags = "", StringRef targetName = "");
  // For {"a.cpp"}, which would fit a StringRef as well.
  bool addCodelets(std::initializer_list<std::string> srcs, StringRef compileFlags = "", StringRef targetName = "") {
    return addCodelets(ArrayRef<std::string>(srcs), compileFlags, targetName);
  }
  void addCodelets(std::stringstream &stream, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  void addCodelets(std::stringstream &stream, StringRef compileFlags, std::ostream &compileOutput,
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  bool hasCodelet(StringRef vertexType) const;

  // Variables and constants.
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext &debugContext = {});
  // With the metadata of a quarter tensor (an invalid tensor for all other types). Throws tensor_metadata_error.
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod method, const DebugContext &debugContext = {});
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast, const DebugContext &debugContext = {"<const>"});
  template <typename T>
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {"<const>"}) {
    const Tensor t = addConstant(type, shape, value, debugContext);
    setMetadata(t, metadata, "addConstant");
    return t;
  }
  template <typename T, IfSimple<T> = 0>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstant(type, shape, &value, TypeTraits::make<T>(), true, debugContext);
  }
  template <typename T, IfSimple<T> = 0>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext &debugContext = {"<const>"}) {
    checkConstantCount(shape, values.size(), debugContext);
    return addConstant(type, shape, values.data(), TypeTraits::make<T>(), false, debugContext);
  }
  template <typename T, IfSimple<T> = 0>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, PointerTo<T> values,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstant(type, shape, values.pointer, TypeTraits::make<T>(), false, debugContext);
  }
  template <typename P, typename std::enable_if<std::is_pointer<P>::value, int>::type = 0,
            typename T = typename std::remove_cv<typename std::remove_pointer<P>::type>::type, IfSimple<T> = 0>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstant(type, shape, values, TypeTraits::make<T>(), false, debugContext);
  }
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values, const TypeTraits &traits,
                     bool broadcast, const DebugContext &debugContext = {"<const>"});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                         const DebugContext &debugContext = {"<const>"});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *values,
                         const DebugContext &debugContext = {"<const>"});
  /// A constant in which every replica finds its number.
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});
  Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &metadata, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor cloneN(const Type &type, const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);

  // With the metadata of quarter tensors.
  Tensor clone(const Tensor &metadata, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return clone(t.elementType(), metadata, t, debugContext, method);
  }
  Tensor cloneN(const Type &type, const Tensor &metadata, const Tensor &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor &metadata, const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) {
    return cloneN(t.elementType(), metadata, t, N, debugContext, method, duplication);
  }

  // Vertices.
  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);
  void connect(FieldRef field, const Tensor &tensor);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  template <typename T, IfSimple<T> = 0> void connect(FieldRef field, T value) {
    connectValues(field, &value, 1, TypeTraits::make<T>(), false);
  }
  template <typename T, IfSimple<T> = 0> void connect(FieldRef field, ArrayRef<T> values) {
    connectValues(field, values.data(), values.size(), TypeTraits::make<T>(), true);
  }
  // The bits of halves.
  void connectHalf(FieldRef field, std::uint16_t value);
  void connectHalf(FieldRef field, ArrayRef<std::uint16_t> values);
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const;
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimIndex) const;
  double getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
  template <typename T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    return static_cast<T>(getMaxVertexFieldValue(vertexType, field));
  }

  // Values that are there when the program is loaded.
  template <typename T, IfSimple<T> = 0> void setInitialValue(FieldRef field, T value) {
    setInitialValues(field, &value, 1, TypeTraits::make<T>(), false);
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setInitialValues(field, values.data(), values.size(), TypeTraits::make<T>(), true);
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(FieldRef field, const std::vector<T> &values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(FieldRef field, std::initializer_list<T> values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t value);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values);
  void setInitialValueHalf(const Tensor &t, std::uint16_t value);
  void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values);
  template <typename T, IfSimple<T> = 0> void setInitialValue(const Tensor &t, T value) {
    setInitialValues(t, &value, 1, TypeTraits::make<T>(), true);
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(const Tensor &t, ArrayRef<T> values) {
    setInitialValues(t, values.data(), values.size(), TypeTraits::make<T>(), false);
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(const Tensor &t, const std::vector<T> &values) {
    setInitialValue(t, ArrayRef<T>(values));
  }
  template <typename T, IfSimple<T> = 0> void setInitialValue(const Tensor &t, std::initializer_list<T> values) {
    setInitialValue(t, ArrayRef<T>(values));
  }

  void setPerfEstimate(const VertexRef &v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(const VertexRef &v, VertexPerfEstimate estimate);
  VertexPerfEstimate getPerfEstimate(const VertexRef &v) const;
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc f);
  void setCycleEstimate(const VertexRef &v, std::uint64_t cycles) { setPerfEstimate(v, cycles); }
  std::uint64_t getCycleEstimate(const VertexRef &v) const { return getPerfEstimate(v).cycles; }
  void registerCycleEstimator(StringRef vertexType, PerfEstimateFunc f) {
    registerPerfEstimator(vertexType, std::move(f));
  }

  // Places. A later call wins over an earlier one.
  void setTileMapping(VertexRef v, unsigned tileNum);
  void setTileMapping(const Tensor &t, unsigned tileNum);
  void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping);
  /// Intervals of the flattened tensor on each tile, sorted and merged; getNumTiles() entries. Throws
  /// invalid_tile_mapping if some element has no tile and `requireComplete` is set.
  TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete = true, bool allowExternal = false) const;
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete, bool allowExternal = false) const;
  TileToTensorMapping getVariableTileMapping(const Tensor &t) const;

  // Host communication and functions.
  DataStream addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                 const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 const OptionFlags &options = {});
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false, bool optimiseMemory = false);
  void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  Function addFunction(const program::Program &program);
  FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType mapping);
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  // Questions about layout.
  std::vector<std::vector<Interval>> getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                                                bool removeAliasedIntervals = false,
                                                                std::vector<std::size_t> *aliases = nullptr) const;
  void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool requireSimplestOrder = true) const;
  TensorRearranger getSimplifyingRearranger(const Tensor &t) const;
  Tensor findUnbroadcastTensor(const Tensor &t) const;
  Tensor getVariable(VariableRef v) const;
  bool isConstant(VariableRef v) const;
  std::size_t getNumVertices() const;

  // Dumps.
  void outputVertexGraph(std::ostream &os, ArrayRef<program::Program> programs = {}) const;
  void outputComputeGraph(std::ostream &os, ArrayRef<program::Program> programs = {}) const;
  void serialize(std::ostream &os, SerializationFormat format) const;
  void serialize(std::ostream &os, ArrayRef<program::Program> programs, SerializationFormat format) const;
  /// Writes the tensors and the layout, but not the contents, of the variables that they are views of. The format must
  /// be Binary.
  void serializeTensors(std::ostream &os, ArrayRef<Tensor> tensors, SerializationFormat format) const;
  /// The same tensors as views of new variables of this graph, on the same tiles. Throws parse_error for anything that
  /// serializeTensors did not write.
  std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format);

  /// For the library itself.
  dace_ipu_sim::GraphCore &core() const { return *core_; }
  const std::shared_ptr<dace_ipu_sim::GraphCore> &sharedCore() const { return core_; }

private:
  struct VirtualTiles;
  Graph(std::shared_ptr<dace_ipu_sim::GraphCore> core, std::unique_ptr<VirtualTiles> tiles);
  Graph makeVirtual(std::vector<unsigned> tiles);
  unsigned topLevelTile(unsigned tile, const std::string &what) const;
  void setMetadata(const Tensor &t, const Tensor &metadata, const char *function);
  void checkConstantCount(ArrayRef<std::size_t> shape, std::size_t count, const DebugContext &debugContext) const;
  void connectValues(const FieldRef &field, const void *values, std::size_t count, const TypeTraits &traits, bool list);
  void setInitialValues(const FieldRef &field, const void *values, std::size_t count, const TypeTraits &traits,
                        bool list);
  void setInitialValues(const Tensor &t, const void *values, std::size_t count, const TypeTraits &traits,
                        bool broadcast);

  std::shared_ptr<dace_ipu_sim::GraphCore> core_;
  std::unique_ptr<VirtualTiles> virtualTiles_;
};

} // namespace poplar

#endif
