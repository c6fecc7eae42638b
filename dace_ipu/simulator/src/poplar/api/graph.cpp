// Graph: construction, virtual graphs, codelets, functions and host communication.
#include "virtual_tiles.hpp"
#include "../core/graph_core.hpp"
#include "../core/types.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <map>

namespace poplar {

using dace_ipu_sim::CodeletModule;
using dace_ipu_sim::GraphCore;

StringRef versionString() { return "3.3.0 (dace_ipu simulator)"; }
StringRef packageHash() { return "dace_ipu_simulator"; }

namespace {

void replicate(GraphCore &graph, unsigned replicas) {
  if (replicas == 1)
    return;
  const unsigned ipus = graph.deviceTarget.getNumIPUs();
  if (replicas == 0 || ipus % replicas != 0)
    throw graph_replication_error("replication factor " + std::to_string(replicas) + " does not divide the " +
                                  std::to_string(ipus) + " IPUs of the target");
  graph.replicas = replicas;
  graph.target = graph.deviceTarget.createVirtualTarget(ipus / replicas, graph.deviceTarget.getTilesPerIPU());
}

bool isEmpty(const GraphCore &g) {
  return g.variables.empty() && g.computeSets.empty() && g.functions.empty() && g.streams.empty() &&
         g.remoteBuffers.empty() && g.hostFunctions.empty();
}

} // namespace

Graph::Graph() : Graph(Target()) {}
Graph::Graph(const Device &device, replication_factor r) : Graph(device.getTarget(), r) {}
Graph::Graph(const Target &target, unsigned numReplicas) : Graph(target, replication_factor(numReplicas)) {}
Graph::Graph(const Target &target, replication_factor r) : core_(std::make_shared<GraphCore>(target)) {
  replicate(*core_, r.get());
}
Graph::Graph(std::shared_ptr<GraphCore> core, std::unique_ptr<VirtualTiles> tiles)
    : core_(std::move(core)), virtualTiles_(std::move(tiles)) {}
Graph::Graph(Graph &&other) noexcept = default;
Graph &Graph::operator=(Graph &&other) noexcept = default;
Graph::~Graph() = default;

const Target &Graph::getTarget() const { return virtualTiles_ ? virtualTiles_->target : core_->target; }
unsigned Graph::getReplicationFactor() const { return core_->replicas; }

namespace {

std::vector<unsigned> range(unsigned begin, unsigned end) {
  std::vector<unsigned> tiles;
  for (unsigned tile = begin; tile < end; ++tile)
    tiles.push_back(tile);
  return tiles;
}

/// How many IPUs the ascending `tiles` lie on, if all these have the same number of them; else 1.
unsigned evenIpus(const std::vector<unsigned> &tiles, unsigned tilesPerIPU) {
  std::map<unsigned, std::size_t> counts;
  for (const unsigned tile : tiles)
    ++counts[tile / tilesPerIPU];
  for (const auto &count : counts)
    if (count.second != counts.begin()->second)
      return 1;
  return static_cast<unsigned>(counts.size());
}

} // namespace

Graph Graph::makeVirtual(std::vector<unsigned> tiles) {
  if (tiles.empty())
    throw poplar_error("createVirtualGraph: no tiles");
  // With unequal numbers of tiles an IPU, the virtual target counts as one IPU.
  const unsigned ipus = evenIpus(tiles, getTarget().getTilesPerIPU());
  const unsigned perIpu = static_cast<unsigned>(tiles.size()) / ipus;
  for (unsigned &tile : tiles)
    tile = topLevelTile(tile, "createVirtualGraph");
  auto virtualTiles = std::unique_ptr<VirtualTiles>(new VirtualTiles{std::move(tiles), {}});
  virtualTiles->target = getTarget().createVirtualTarget(ipus, perIpu);
  return Graph(core_, std::move(virtualTiles));
}

Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) { return createVirtualGraph(range(0, numTilesPerIPU)); }

// Tiles of the whole target: programs take those of the second IPU as (tilesPerIPU, 2 * tilesPerIPU).
Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  return makeVirtual(range(lowerTile, upperTile));
}

Graph Graph::createVirtualGraph(const std::vector<unsigned> &perIpuTiles) {
  const unsigned tilesPerIPU = getTarget().getTilesPerIPU();
  std::vector<unsigned> tiles;
  for (unsigned ipu = 0; ipu < getTarget().getNumIPUs(); ++ipu)
    for (const unsigned tile : perIpuTiles) {
      if (tile >= tilesPerIPU)
        throw poplar_error("createVirtualGraph: tile " + std::to_string(tile) + " of an IPU with " +
                           std::to_string(tilesPerIPU) + " tiles");
      tiles.push_back(ipu * tilesPerIPU + tile);
    }
  return makeVirtual(std::move(tiles));
}

Graph Graph::getTopLevelGraph() {
  if (core_->replicas > 1)
    throw graph_replication_error("getTopLevelGraph: a graph around the replicas is not supported yet");
  return Graph(core_, nullptr);
}

Graph Graph::createReplicatedGraph(unsigned replicationFactor) {
  if (virtualTiles_ || core_->replicas > 1 || !isEmpty(*core_))
    throw graph_replication_error("createReplicatedGraph: not supported yet on a graph that is virtual or replicated, "
                                  "or holds something already; give the factor to the constructor of the graph");
  replicate(*core_, replicationFactor);
  return Graph(core_, nullptr);
}

Tensor Graph::getNonReplicatedTensor(const Tensor &t) const {
  throw graph_replication_error("getNonReplicatedTensor: a tensor of all replicas of " + t.getDebugStr() +
                                " is not supported yet; readTensor and writeTensor of it move those of all replicas, "
                                "CrossReplicaCopy moves data between them");
}

unsigned Graph::topLevelTile(unsigned tile, const std::string &what) const {
  if (tile >= getTarget().getNumTiles())
    throw invalid_tile_mapping(what + ": tile " + std::to_string(tile) + " does not exist, the target has " +
                               std::to_string(getTarget().getNumTiles()) + " tiles");
  return virtualTiles_ ? virtualTiles_->toTop[tile] : tile;
}

unsigned Graph::convertVirtualTileToPhysicalTile(unsigned id) const { return convertTileToTopLevelGraphTile(id); }

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned id) const {
  if (!virtualTiles_)
    return id;
  const auto &tiles = virtualTiles_->toTop;
  const auto it = std::find(tiles.begin(), tiles.end(), id);
  if (it == tiles.end())
    throw invalid_tile_mapping("convertPhysicalTileToVirtualTile: tile " + std::to_string(id) +
                               " is not part of the virtual graph");
  return static_cast<unsigned>(it - tiles.begin());
}

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipuId, unsigned ipuPhysicalTileId) const {
  return convertPhysicalTileToVirtualTile(ipuId * core_->target.getTilesPerIPU() + ipuPhysicalTileId);
}

unsigned Graph::convertTileToTopLevelGraphTile(unsigned tile) const {
  return topLevelTile(tile, "convertTileToTopLevelGraphTile");
}

// Codelets

namespace {

bool endsWith(const std::string &s, const std::string &end) {
  return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}

void addModule(GraphCore &graph, const CodeletModule &module) {
  for (const dace_ipu_sim::VertexType &type : module.types)
    graph.codelets[type.name] = {&type, &module};
}

void addModules(GraphCore &graph, const std::string &path) {
  for (const CodeletModule *module : dace_ipu_sim::loadCodeletModules(path))
    addModule(graph, *module);
}

std::string archOf(const Graph &graph, StringRef targetName) {
  return targetName.empty() ? graph.getTarget().getTargetArchString().cloneAsString() : targetName.cloneAsString();
}

const char *extensionOf(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::CSource:
    return ".c";
  case CodeletFileType::CppSource:
  case CodeletFileType::Auto:
    return ".cpp";
  default:
    throw graph_object_creation_error("the simulator compiles C and C++ codelets only, not " + toString(type));
  }
}

} // namespace

std::string toString(CodeletFileType type) {
  static const char *const names[] = {"preprocessed assembly", "assembly", "C", "C++", "LLVM IR", "object", "auto"};
  return names[static_cast<std::size_t>(type)];
}

std::string getExtensionFromFileType(CodeletFileType type) {
  static const char *const extensions[] = {".S", ".s", ".c", ".cpp", ".ll", ".gp", ""};
  return extensions[static_cast<std::size_t>(type)];
}

std::string getLanguageOption(CodeletFileType type) {
  static const char *const languages[] = {"assembler-with-cpp", "assembler", "c", "c++", "ir", "none", "none"};
  return languages[static_cast<std::size_t>(type)];
}

CodeletFileType getCodeletFileType(const char *path) {
  const std::string name = path;
  if (endsWith(name, ".gp") || endsWith(name, ".o"))
    return CodeletFileType::Object;
  if (endsWith(name, ".c"))
    return CodeletFileType::CSource;
  if (endsWith(name, ".S"))
    return CodeletFileType::PreprocessedAsmSource;
  if (endsWith(name, ".s"))
    return CodeletFileType::AsmSource;
  if (endsWith(name, ".ll"))
    return CodeletFileType::IrSource;
  for (const char *extension : {".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp"})
    if (endsWith(name, extension))
      return CodeletFileType::CppSource;
  throw graph_object_load_error(name, "the extension of the file says nothing about its type");
}

bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags, StringRef targetName) {
  const std::string path = src;
  if (type == CodeletFileType::Auto)
    type = getCodeletFileType(path.c_str());
  if (type == CodeletFileType::Object) {
    addModules(*core_, path);
    return true;
  }
  extensionOf(type);
  return addCodelets(ArrayRef<std::string>(&path, 1), compileFlags, targetName);
}

bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags, std::ostream &, StringRef target) {
  return addCodelets(src, type, compileFlags, target);
}

bool Graph::addCodelets(ArrayRef<std::string> srcs, StringRef compileFlags, StringRef targetName) {
  std::vector<std::string> sources;
  for (const std::string &path : srcs) {
    if (getCodeletFileType(path.c_str()) == CodeletFileType::Object)
      addModules(*core_, path);
    else
      sources.push_back(path);
  }
  if (!sources.empty())
    addModule(*core_, dace_ipu_sim::loadCodeletModule(
                          dace_ipu_sim::compileCodelets(sources, compileFlags, archOf(*this, targetName))));
  return true;
}

void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags, CodeletFileType type, StringRef targetName) {
  addModule(*core_, dace_ipu_sim::loadCodeletModule(dace_ipu_sim::compileCodeletText(
                        stream.str(), compileFlags, archOf(*this, targetName), extensionOf(type))));
}

void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags, std::ostream &, CodeletFileType type,
                        StringRef targetName) {
  addCodelets(stream, compileFlags, type, targetName);
}

bool Graph::hasCodelet(StringRef vertexType) const { return core_->codelets.count(vertexType) != 0; }

// Host communication

namespace {

template <typename Records> void requireNewHandle(const Records &records, const std::string &handle, const char *what) {
  for (const auto &r : records)
    if (r.handle == handle)
      throw poplar_error(std::string(what) + ": there already is one with handle '" + handle + "'");
}

void requireReadable(const Tensor &t, const char *function, const std::string &handle) {
  if (!t.valid())
    throw poplar_error(std::string(function) + " '" + handle + "': the tensor is not valid");
}

} // namespace

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                      ReplicatedStreamMode mode, const OptionFlags &) {
  requireNewHandle(core_->streams, handle, "addHostToDeviceFIFO");
  dace_ipu_sim::requireDeviceType(elementType, "stream '" + handle.cloneAsString() + "'");
  const unsigned id = static_cast<unsigned>(core_->streams.size());
  core_->streams.push_back({handle, elementType, numElements, true, mode == ReplicatedStreamMode::BROADCAST});
  return DataStream(id, handle, elementType, numElements, true, core_->replicas, mode);
}

DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                      const OptionFlags &) {
  requireNewHandle(core_->streams, handle, "addDeviceToHostFIFO");
  dace_ipu_sim::requireDeviceType(elementType, "stream '" + handle.cloneAsString() + "'");
  const unsigned id = static_cast<unsigned>(core_->streams.size());
  core_->streams.push_back({handle, elementType, numElements, false, false});
  return DataStream(id, handle, elementType, numElements, false, core_->replicas, ReplicatedStreamMode::REPLICATE);
}

RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                                    std::size_t repeats, bool rearrangeOnHost, bool optimiseMemory) {
  requireNewHandle(core_->remoteBuffers, handle, "addRemoteBuffer");
  dace_ipu_sim::requireDeviceType(elementType, "remote buffer '" + handle.cloneAsString() + "'");
  const unsigned id = static_cast<unsigned>(core_->remoteBuffers.size());
  core_->remoteBuffers.push_back({handle, elementType, numElements, repeats});
  return RemoteBuffer(id, handle, elementType, numElements, repeats, rearrangeOnHost, optimiseMemory);
}

void Graph::createHostWrite(StringRef handle, const Tensor &t, bool) {
  requireReadable(t, "createHostWrite", handle);
  if (!t.isParallelWriteable())
    throw graph_connection_error("createHostWrite '" + handle.cloneAsString() + "': " + t.getDebugStr() +
                                 " contains constants or the same element twice");
  if (!core_->hostWrites.emplace(handle, t).second)
    throw poplar_error("createHostWrite: there already is one with handle '" + handle.cloneAsString() + "'");
}

void Graph::createHostRead(StringRef handle, const Tensor &t, bool) {
  requireReadable(t, "createHostRead", handle);
  if (!core_->hostReads.emplace(handle, t).second)
    throw poplar_error("createHostRead: there already is one with handle '" + handle.cloneAsString() + "'");
}

Function Graph::addFunction(const program::Program &program) {
  core_->functions.push_back(program.node());
  return Function(static_cast<unsigned>(core_->functions.size() - 1));
}

FunctionBuffer Graph::addFunctionBuffer(const Function &function, FunctionBufferMappingType mapping) {
  if (function.getId() >= core_->functions.size())
    throw poplar_error("addFunctionBuffer: the function is not of this graph");
  return FunctionBuffer(function, mapping);
}

HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  requireNewHandle(core_->hostFunctions, handle, "addHostFunction");
  core_->hostFunctions.push_back({handle, inputs.cloneAsVector(), outputs.cloneAsVector()});
  return HostFunction(static_cast<unsigned>(core_->hostFunctions.size() - 1), handle);
}

} // namespace poplar
