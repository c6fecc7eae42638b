// Reading the profile of a run: what libpva's names mean for a profile of the simulator (PROFILE.md). Sizes are bytes,
// durations cycles of the tile clock. As in `dace_ipu.profile`, a step stands for all executions of its program.
#ifndef pva_pva_hpp
#define pva_pva_hpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace poplar {
class ProfileValue;
}

namespace pva {

/// The file is missing or is no profile.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A part of a report. Copies are cheap, and keep the report alive.
class Part {
public:
  Part(std::shared_ptr<const poplar::ProfileValue> report, const poplar::ProfileValue &part);

protected:
  const poplar::ProfileValue &at(const char *key) const;
  std::uint64_t number(const char *key) const;
  std::string text(const char *key) const;

  std::shared_ptr<const poplar::ProfileValue> report_;
  const poplar::ProfileValue *part_;
};

class PoplarVersion {
public:
  explicit PoplarVersion(std::string text) : text_(std::move(text)) {}
  const std::string &string() const { return text_; }
  unsigned major() const { return number(0); }
  unsigned minor() const { return number(1); }
  unsigned point() const { return number(2); }

private:
  unsigned number(unsigned place) const;
  std::string text_;
};

class Graph : public Part {
public:
  using Part::Part;
  std::uint64_t numComputeSets() const { return number("computeSets"); }
  std::uint64_t numEdges() const { return number("edges"); }
  std::uint64_t numVars() const { return number("variables"); }
  std::uint64_t numVertices() const { return number("vertices"); }
};

class Target : public Part {
public:
  using Part::Part;
  std::string architecture() const { return text("arch"); }
  std::string type() const { return text("type"); }
  std::uint64_t numIPUs() const { return number("numIPUs"); }
  std::uint64_t numTiles() const { return number("numTiles"); }
  std::uint64_t tilesPerIpu() const { return number("tilesPerIPU"); }
  std::uint64_t bytesPerTile() const { return number("bytesPerTile"); }
  std::uint64_t bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
  std::uint64_t totalMemory() const { return bytesPerTile() * numTiles(); }
  double clockFrequency() const;
};

struct TileMemoryTotal {
  std::uint64_t withGaps, withoutGaps;
  std::uint64_t includingGaps() const { return withGaps; }
  std::uint64_t excludingGaps() const { return withoutGaps; }
};

struct TileMemory {
  TileMemoryTotal all;
  std::uint64_t notAlwaysLive;
  const TileMemoryTotal &total() const { return all; }
  std::uint64_t notAlwaysLiveBytes() const { return notAlwaysLive; }
  std::uint64_t alwaysLiveBytes() const { return all.withoutGaps - notAlwaysLive; }
};

class Tile {
public:
  Tile(std::size_t id, const TileMemory &memory) : id_(id), memory_(memory) {}
  std::size_t id() const { return id_; }
  const TileMemory &memory() const { return memory_; }

private:
  std::size_t id_;
  TileMemory memory_;
};

class Compilation : public Part {
public:
  using Part::Part;
  Graph graph() const { return {report_, at("graph")}; }
  Target target() const { return {report_, at("target")}; }
  std::vector<Tile> tiles() const;
};

class ExecutionStep : public Part {
public:
  using Part::Part;
  std::string name() const { return text("name"); }
  /// "execute", "copy", "streamCopy", "remoteCopy", "hostCall", "sync" or "control".
  std::string kind() const { return text("kind"); }
  std::uint64_t count() const { return number("executions"); }
  std::uint64_t computeCycles() const { return number("computeCycles"); }
  std::uint64_t exchangeCycles() const { return number("exchangeCycles"); }
  std::uint64_t cycles() const;
};

class Execution : public Part {
public:
  using Part::Part;
  std::uint64_t totalCycles() const;
  std::vector<ExecutionStep> steps() const;
};

class Report : public Part {
public:
  using Part::Part;
  Compilation compilation() const { return {report_, *part_}; }
  Execution execution() const { return {report_, *part_}; }
  PoplarVersion poplarVersion() const { return PoplarVersion(text("poplarVersion")); }
};

/// Opens a profile by its name, or as `profile.pop`, the SDK's name for it, which means `profile.json` beside it. The
/// second file, of debug information, is not read. Throws Error.
Report openReport(const std::string &path, const std::string &debugInformation = "");

} // namespace pva

#endif
