// Which vertices of a compute set write which elements: finds conflicting writes, and reads of what other tiles write.
#pragma once

#include "../core/graph_core.hpp"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace dace_ipu_sim {

/// A written edge.
struct Writer {
  unsigned vertex;
  unsigned field;
  unsigned tile;
  bool inOut;
};

/// Filled with all writes of a compute set, then checked once, then asked about reads.
class WriteSet {
public:
  void add(const Run &run, const Writer &writer);
  /// Throws graph_connection_error for two vertices that write the same element, unless both are InOut edges of the
  /// same elements on one tile.
  void check(const GraphCore &graph);
  /// Some element of the run is written by a vertex on another tile.
  bool writtenElsewhere(const Run &run, unsigned tile) const;
  bool empty() const { return variables_.empty(); }

private:
  struct Span {
    std::size_t begin;
    std::size_t end;
    std::uint32_t writer;
  };
  // Spans as long as all writes are contiguous; else the writer of every element, 0 meaning none.
  struct Writes {
    std::vector<Span> spans;
    std::vector<Run> strided;
    std::vector<std::uint32_t> stridedWriters;
    std::vector<std::uint32_t> owner;
  };
  void checkSpans(const GraphCore &graph, const Variable &var, Writes &w) const;
  void paintOwners(const GraphCore &graph, const Variable &var, Writes &w) const;
  void own(const GraphCore &graph, const Variable &var, Writes &w, std::size_t at, std::uint32_t writer) const;
  bool compatible(const Writer &a, const Writer &b, bool sameElements) const;
  [[noreturn]] void conflict(const GraphCore &graph, const Variable &var, std::size_t at, const Writer &a,
                             const Writer &b) const;

  std::vector<Writer> writers_;
  std::unordered_map<const Variable *, Writes> variables_;
};

} // namespace dace_ipu_sim
