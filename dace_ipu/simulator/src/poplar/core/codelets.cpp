#include "codelets.hpp"
#include "../engine/codelet_host.hpp"
#include "types.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace dace_ipu_sim {

namespace {

std::unique_ptr<CodeletModule> describe(void *handle, const std::string &path) {
  using Entry = const DaceIpuCodeletModule *(*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "dace_ipu_codelet_module"));
  if (!entry)
    throw poplar::graph_object_load_error(path, "not a codelet module (no dace_ipu_codelet_module)");
  const DaceIpuCodeletModule *module = entry();
  if (module->abi != DACE_IPU_CODELET_ABI)
    throw poplar::graph_object_load_error(path, "made by another version of popc (ABI " + std::to_string(module->abi) +
                                                    ", expected " + std::to_string(DACE_IPU_CODELET_ABI) + ")");
  auto result = std::make_unique<CodeletModule>();
  result->path = path;
  result->takeCost = module->take_cost;
  result->setTile = reinterpret_cast<void (*)(unsigned)>(dlsym(handle, "dace_ipu_set_tile"));
  using SetHost = void (*)(const DaceIpuCodeletHost *);
  if (const auto setHost = reinterpret_cast<SetHost>(dlsym(handle, "dace_ipu_codelet_set_host")))
    setHost(&codeletHost());
  for (std::uint32_t i = 0; i < module->num_vertex_types; ++i) {
    VertexType type{&module->vertex_types[i], {}, module->vertex_types[i].name};
    for (std::uint32_t f = 0; f < type.abi->num_fields; ++f)
      type.fieldTypes.push_back(typeNamed(type.abi->fields[f].type));
    result->types.push_back(std::move(type));
  }
  return result;
}

std::string modificationKey(const std::string &path) {
  struct stat s;
  if (stat(path.c_str(), &s) != 0)
    throw poplar::graph_object_load_error(path, "no such file");
  return path + "#" + std::to_string(s.st_ino) + "." + std::to_string(s.st_mtim.tv_sec) + "." +
         std::to_string(s.st_mtim.tv_nsec);
}

std::int64_t fileSize(const std::string &path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 ? s.st_size : 0;
}

// dlopen searches the library path unless the name holds a slash.
std::string openable(const std::string &path) { return path.find('/') == std::string::npos ? "./" + path : path; }

} // namespace

int VertexType::fieldIndex(const std::string &field) const {
  for (std::uint32_t i = 0; i < abi->num_fields; ++i)
    if (field == abi->fields[i].name)
      return static_cast<int>(i);
  return -1;
}

const CodeletModule &loadCodeletModule(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CodeletModule>> modules;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CodeletModule> &slot = modules[modificationKey(path)];
  if (slot)
    return *slot;
  void *handle = dlopen(openable(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const std::string why = dlerror();
    if (why.find("undefined symbol") != std::string::npos)
      throw poplar::link_error("codelet file '" + path + "': " + why, why);
    throw poplar::graph_object_load_error(path, why);
  }
  slot = describe(handle, path);
  slot->key = modificationKey(path);
  return *slot;
}

// The format is that of popc/bundle.py.
std::vector<const CodeletModule *> loadCodeletModules(const std::string &path) {
  static const std::string magic = "dace_ipu modules";
  std::ifstream in(path, std::ios::binary);
  std::string begin(magic.size(), '\0');
  if (!in.read(&begin[0], static_cast<std::streamsize>(begin.size())) || begin != magic)
    return {&loadCodeletModule(path)};
  std::vector<const CodeletModule *> modules;
  for (unsigned char digits[8]; in.read(reinterpret_cast<char *>(digits), sizeof(digits));) {
    std::uint64_t size = 0;
    for (int i = 7; i >= 0; --i)
      size = size << 8 | digits[i];
    std::string content(std::min<std::uint64_t>(size, static_cast<std::uint64_t>(fileSize(path))), '\0');
    if (!in.read(&content[0], static_cast<std::streamsize>(content.size())) || content.size() != size)
      throw poplar::graph_object_load_error(path, "the file is cut short");
    modules.push_back(&loadCodeletContent(content));
  }
  if (in.gcount() != 0)
    throw poplar::graph_object_load_error(path, "the file is cut short");
  return modules;
}

std::string contentOfModule(const CodeletModule &module) {
  if (!module.content.empty())
    return module.content;
  if (modificationKey(module.path) != module.key)
    throw poplar::graph_object_load_error(module.path, "the file was changed since it was loaded");
  std::ifstream in(module.path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

const CodeletModule &loadCodeletContent(const std::string &content) {
  static std::mutex mutex;
  static std::map<std::string, const CodeletModule *> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const CodeletModule *&slot = known[content];
  if (slot)
    return *slot;
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/dace_ipu_XXXXXX.gp";
  const int fd = mkstemps(&path[0], 3);
  if (fd < 0)
    throw poplar::graph_object_load_error(path, "cannot create a temporary file");
  close(fd);
  std::ofstream(path, std::ios::binary) << content;
  try {
    slot = &loadCodeletModule(path);
  } catch (...) {
    unlink(path.c_str());
    throw;
  }
  unlink(path.c_str()); // the loaded module does not need it
  const_cast<CodeletModule *>(slot)->content = content;
  return *slot;
}

} // namespace dace_ipu_sim
