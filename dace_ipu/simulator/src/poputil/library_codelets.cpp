#include "library_codelets.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <string>

namespace poputil::internal {

namespace {

namespace fs = std::filesystem;

fs::path folderOf(const char *library) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&folderOf), &info))
    throw poplar::graph_object_load_error(library, "the folder of the libraries is unknown");
  return fs::path(info.dli_fname).parent_path() / "codelets" / library;
}

std::vector<std::string> modulesOf(const char *library) {
  std::vector<std::string> modules;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(folderOf(library), ignored))
    modules.push_back(entry.path().string());
  if (modules.empty())
    throw poplar::graph_object_load_error(library, "there are no codelets in " + folderOf(library).string());
  std::sort(modules.begin(), modules.end());
  return modules;
}

} // namespace

void addLibraryCodelets(poplar::Graph &graph, const char *library, const Estimators &estimators) {
  for (const std::string &module : modulesOf(library))
    graph.addCodelets(module, poplar::CodeletFileType::Object);
  for (const auto &[vertex, estimator] : estimators)
    graph.registerPerfEstimator(vertex, estimator);
}

} // namespace poputil::internal
