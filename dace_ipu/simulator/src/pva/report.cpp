#include "json.hpp"

#include <poplar/ProfileValue.hpp>
#include <pva/pva.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace pva {

namespace {

using poplar::ProfileValue;

const ProfileValue &member(const ProfileValue &map, const char *key) {
  const auto found = map.asMap().find(key);
  if (found == map.asMap().end())
    throw Error(std::string("the profile has no '") + key + "'");
  return found->second;
}

std::string contentOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw Error("cannot be read");
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// The SDK writes profile.pop, the simulator profile.json.
std::string fileOf(const std::string &path) {
  const std::string suffix = ".pop";
  const bool isPop = path.size() >= suffix.size() && path.compare(path.size() - 4, 4, suffix) == 0;
  return isPop && !std::ifstream(path) ? path.substr(0, path.size() - 4) + ".json" : path;
}

} // namespace

Part::Part(std::shared_ptr<const ProfileValue> report, const ProfileValue &part)
    : report_(std::move(report)), part_(&part) {}

const ProfileValue &Part::at(const char *key) const { return member(*part_, key); }

std::uint64_t Part::number(const char *key) const { return at(key).asUint(); }

std::string Part::text(const char *key) const { return at(key).asString(); }

unsigned PoplarVersion::number(unsigned place) const {
  std::size_t begin = 0;
  for (; place > 0 && begin != std::string::npos; --place)
    begin = text_.find('.', begin + 1);
  if (begin == std::string::npos)
    return 0;
  return static_cast<unsigned>(std::strtoul(text_.c_str() + begin + (text_[begin] == '.'), nullptr, 10));
}

double Target::clockFrequency() const { return at("clock").asDouble(); }

std::vector<Tile> Compilation::tiles() const {
  const ProfileValue &memory = at("memory");
  const ProfileValue::Vector &total = member(memory, "perTile").asVector();
  std::vector<Tile> result;
  for (std::size_t i = 0; i < total.size(); ++i) {
    const std::uint64_t notAlwaysLive = member(memory, "perTileNotAlwaysLive")[i].asUint();
    const TileMemoryTotal bytes = {total[i].asUint(), member(memory, "perTileExcludingGaps")[i].asUint()};
    result.emplace_back(i, TileMemory{bytes, notAlwaysLive});
  }
  return result;
}

std::uint64_t ExecutionStep::cycles() const {
  return computeCycles() + exchangeCycles() + number("syncCycles") + number("hostCycles");
}

std::uint64_t Execution::totalCycles() const { return member(at("cycles"), "total").asUint(); }

std::vector<ExecutionStep> Execution::steps() const {
  std::vector<ExecutionStep> result;
  for (const ProfileValue &step : at("steps").asVector())
    result.emplace_back(report_, step);
  return result;
}

Report openReport(const std::string &path, const std::string &) {
  const std::string file = fileOf(path);
  try {
    const auto report = std::make_shared<const ProfileValue>(dace_ipu_sim::parseJson(contentOf(file)));
    member(*report, "schema");
    return {report, *report};
  } catch (const Error &error) {
    throw Error("'" + file + "': " + error.what());
  }
}

} // namespace pva
