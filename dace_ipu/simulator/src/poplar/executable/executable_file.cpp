#include "executable_file.hpp"
#include "../machine/compute_cost.hpp"
#include "archive.hpp"
#include "graph_transfer.hpp"

#include <poplar/abi/codelet_module.h>
#include <poplar/exceptions.hpp>

#include <istream>
#include <iterator>
#include <ostream>

namespace dace_ipu_sim {

namespace {

// What comes before the content. Changes of the layout get a new version.
struct Header {
  char magic[8] = {'d', 'a', 'c', 'e', '_', 'i', 'p', 'u'};
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

[[noreturn]] void refuse(const std::string &why) { throw poplar::parse_error("Executable::deserialize: " + why); }

std::string contentOf(std::istream &in) {
  Header header, expected;
  if (!in.read(reinterpret_cast<char *>(&header), sizeof(header)) ||
      !std::equal(std::begin(header.magic), std::end(header.magic), expected.magic))
    refuse("the stream does not hold an executable");
  if (header.version != expected.version || header.codeletAbi != expected.codeletAbi)
    refuse("the executable was made by another version of the simulator");
  std::string data;
  constexpr std::uint64_t piece = 1u << 20; // a damaged size must not ask for all memory at once
  while (data.size() < header.size) {
    const std::size_t at = data.size();
    data.resize(at + static_cast<std::size_t>(std::min(piece, header.size - at)));
    if (!in.read(&data[at], static_cast<std::streamsize>(data.size() - at)))
      refuse("the executable is cut short");
  }
  if (hashOf(data) != header.hash)
    refuse("the executable is damaged");
  return data;
}

} // namespace

void writeExecutable(const ExecutablePlan &plan, std::ostream &out) {
  ArchiveOut archive;
  StoredExecutable stored{plan.graph, plan.sources, plan.options, plan.extent};
  transferExecutable(archive, stored);
  Header header;
  header.size = archive.data().size();
  header.hash = hashOf(archive.data());
  out.write(reinterpret_cast<const char *>(&header), sizeof(header));
  out.write(archive.data().data(), static_cast<std::streamsize>(archive.data().size()));
  if (!out.flush())
    throw poplar::file_load_error("Executable::serialize: the stream does not take the executable");
}

std::shared_ptr<const ExecutablePlan> readExecutable(std::istream &in) {
  ArchiveIn archive(contentOf(in));
  StoredExecutable stored;
  transferExecutable(archive, stored);
  return makePlan(stored.graph, stored.programs, stored.options);
}

} // namespace dace_ipu_sim
