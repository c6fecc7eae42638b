// Codelet modules and the vertex types they describe.
#pragma once

#include <poplar/Type.hpp>
#include <poplar/abi/codelet_module.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dace_ipu_sim {

/// A vertex type as the ABI describes it, with its element types parsed.
struct VertexType {
  const DaceIpuVertexType *abi;
  std::vector<poplar::Type> fieldTypes; // Type() for enums and the like
  std::string name;

  /// Index of a field, or -1.
  int fieldIndex(const std::string &field) const;
};

/// A loaded .gp file. Modules stay loaded until the process ends: vertices of any Engine may use them.
struct CodeletModule {
  std::string path;
  std::string key;     // of the file, to know it again
  std::string content; // of a module that came with an executable
  std::vector<VertexType> types;
  std::uint64_t (*takeCost)() = nullptr;   // what the vertices that count have cost, null if none does
  void (*setTile)(unsigned tile) = nullptr; // optional hook of the module: the tile that runs on this thread
};

/// Loads a .gp file with one module, once per path and modification. Throws graph_object_load_error.
const CodeletModule &loadCodeletModule(const std::string &path);
/// Loads all modules of a .gp file: popc joins what was compiled apart. Throws graph_object_load_error.
std::vector<const CodeletModule *> loadCodeletModules(const std::string &path);

/// The bytes of a module's file. Throws graph_object_load_error if the file is gone or another one by now.
std::string contentOfModule(const CodeletModule &module);
/// Loads a module from such bytes, once for equal ones.
const CodeletModule &loadCodeletContent(const std::string &content);

/// Compiles source files with popc (see the README) and returns the path of the module. Throws
/// graph_object_creation_error with the compiler's text.
std::string compileCodelets(const std::vector<std::string> &files, const std::string &flags, const std::string &target);
/// The same for source text, with the fast path through DACE_IPU_CODELET_CACHE.
std::string compileCodeletText(const std::string &source, const std::string &flags, const std::string &target,
                               const std::string &extension);

} // namespace dace_ipu_sim
