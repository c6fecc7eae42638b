#include "executable_file.hpp"
#include "../machine/compute_cost.hpp"
#include "archive.hpp"
#include "graph_transfer.hpp"

#include <poplar/abi/codelet_module.h>
#include <poplar/exceptions.hpp>

#include <cstring>
#include <istream>
#include <iterator>
#include <ostream>

namespace dace_ipu_sim {

namespace {

/// What a file holds, and the names that messages have for it.
struct FileKind {
  const char *magic; // 8 characters
  const char *reader;
  const char *writer;
  const char *article;
  const char *what;
};
constexpr FileKind executableFile = {"dace_ipu", "Executable::deserialize", "Executable::serialize", "an ",
                                     "executable"};
constexpr FileKind tensorFile = {"ipu_tens", "deserializeTensors", "serializeTensors", "a ", "tensor file"};

// What comes before the content. Changes of the layout get a new version.
struct Header {
  explicit Header(const FileKind &kind) { std::memcpy(magic, kind.magic, sizeof(magic)); }
  char magic[8];
  std::uint32_t version = 1;
  std::uint32_t codeletAbi = DACE_IPU_CODELET_ABI;
  std::uint64_t size = 0;
  std::uint64_t hash = 0;
};

// FNV-1a, 64 bits.
std::uint64_t hashOf(const std::string &data) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : data)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

[[noreturn]] void refuse(const FileKind &kind, const std::string &why) {
  throw poplar::parse_error(std::string(kind.reader) + ": the " + why);
}

std::string contentOf(const FileKind &kind, std::istream &in) {
  Header header(kind), expected(kind);
  if (!in.read(reinterpret_cast<char *>(&header), sizeof(header)) ||
      !std::equal(std::begin(header.magic), std::end(header.magic), expected.magic))
    refuse(kind, std::string("stream does not hold ") + kind.article + kind.what);
  if (header.version != expected.version || header.codeletAbi != expected.codeletAbi)
    refuse(kind, std::string(kind.what) + " was made by another version of the simulator");
  std::string data;
  constexpr std::uint64_t piece = 1u << 20; // a damaged size must not ask for all memory at once
  while (data.size() < header.size) {
    const std::size_t at = data.size();
    data.resize(at + static_cast<std::size_t>(std::min(piece, header.size - at)));
    if (!in.read(&data[at], static_cast<std::streamsize>(data.size() - at)))
      refuse(kind, std::string(kind.what) + " is cut short");
  }
  if (hashOf(data) != header.hash)
    refuse(kind, std::string(kind.what) + " is damaged");
  return data;
}

void writeContent(const FileKind &kind, const std::string &data, std::ostream &out) {
  Header header(kind);
  header.size = data.size();
  header.hash = hashOf(data);
  out.write(reinterpret_cast<const char *>(&header), sizeof(header));
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  if (!out.flush())
    throw poplar::file_load_error(std::string(kind.writer) + ": the stream does not take the " + kind.what);
}

} // namespace

void writeExecutable(const ExecutablePlan &plan, std::ostream &out) {
  ArchiveOut archive;
  StoredExecutable stored{plan.graph, plan.sources, plan.options, plan.extent};
  transferExecutable(archive, stored);
  writeContent(executableFile, archive.data(), out);
}

std::shared_ptr<const ExecutablePlan> readExecutable(std::istream &in) {
  ArchiveIn archive(contentOf(executableFile, in));
  StoredExecutable stored;
  transferExecutable(archive, stored);
  return makePlan(stored.graph, stored.programs, stored.options);
}

void writeTensors(GraphCore &graph, std::vector<poplar::Tensor> tensors, std::ostream &out) {
  ArchiveOut archive;
  transferTensors(archive, graph, tensors);
  writeContent(tensorFile, archive.data(), out);
}

std::vector<poplar::Tensor> readTensors(GraphCore &graph, std::istream &in) {
  ArchiveIn archive(contentOf(tensorFile, in));
  std::vector<poplar::Tensor> tensors;
  transferTensors(archive, graph, tensors);
  return tensors;
}

} // namespace dace_ipu_sim
