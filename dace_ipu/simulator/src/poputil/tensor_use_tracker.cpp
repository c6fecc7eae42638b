#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace poputil {

using poplar::Interval;
using poplar::VariableRef;

namespace {

struct Use {
  std::size_t begin;
  std::size_t end;
  unsigned tile;
};

/// Consecutive elements with the same users.
struct Segment {
  Interval elements;
  std::vector<unsigned> tiles;
};

// Cuts the elements of a variable where the set of users changes.
std::vector<Segment> segmentsOf(const std::vector<Use> &uses) {
  std::map<std::size_t, std::vector<std::pair<bool, unsigned>>> events; // where a use begins or ends
  for (const Use &use : uses) {
    events[use.begin].emplace_back(true, use.tile);
    events[use.end].emplace_back(false, use.tile);
  }
  std::multiset<unsigned> active;
  std::vector<Segment> segments;
  std::size_t from = 0;
  for (const auto &event : events) {
    std::vector<unsigned> tiles(active.begin(), active.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
    if (!tiles.empty() && !segments.empty() && segments.back().tiles == tiles && segments.back().elements.end() == from)
      segments.back().elements = Interval(segments.back().elements.begin(), event.first);
    else if (!tiles.empty())
      segments.push_back({Interval(from, event.first), tiles});
    for (const auto &change : event.second)
      if (change.first)
        active.insert(change.second);
      else
        active.erase(active.find(change.second));
    from = event.first;
  }
  return segments;
}

// Elements without users go to the users before them; those before the first segment to the users of that.
void extend(std::vector<Segment> &segments, std::size_t size) {
  segments.front().elements = Interval(0, segments.front().elements.end());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t end = i + 1 < segments.size() ? segments[i + 1].elements.begin() : size;
    segments[i].elements = Interval(segments[i].elements.begin(), end);
  }
}

} // namespace

class TensorUseTrackerState {
public:
  unsigned numTiles;
  unsigned startTile;
  bool ascending;
  std::map<VariableRef, std::vector<Use>> uses;

  // Users in the order in which they get their shares.
  std::vector<unsigned> ordered(std::vector<unsigned> tiles) const {
    std::sort(tiles.begin(), tiles.end(), [this](unsigned a, unsigned b) {
      return transformTileIndex(a, numTiles, startTile % numTiles, ascending) <
             transformTileIndex(b, numTiles, startTile % numTiles, ascending);
    });
    return tiles;
  }

  std::vector<Use> share(const std::vector<Segment> &segments, unsigned grainSize, unsigned minElements) const {
    std::map<std::vector<unsigned>, std::vector<Interval>> byUsers;
    for (const Segment &s : segments)
      byUsers[s.tiles].push_back(s.elements);
    std::vector<Use> result;
    for (const auto &group : byUsers) {
      const std::vector<unsigned> tiles = ordered(group.first);
      const auto parts = splitRegions(group.second, grainSize, static_cast<unsigned>(tiles.size()), minElements);
      for (std::size_t p = 0; p < parts.size(); ++p)
        for (const Interval &i : parts[p])
          result.push_back({i.begin(), i.end(), tiles[p]});
    }
    return result;
  }
};

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile, bool ascendingMappingOrder)
    : st(new TensorUseTrackerState{numTiles, startTile, ascendingMappingOrder, {}}) {}
TensorUseTracker::TensorUseTracker(const TensorUseTracker &other) : st(new TensorUseTrackerState(*other.st)) {}
TensorUseTracker::TensorUseTracker(TensorUseTracker &&other) = default;
TensorUseTracker &TensorUseTracker::operator=(const TensorUseTracker &other) {
  st.reset(new TensorUseTrackerState(*other.st));
  return *this;
}
TensorUseTracker &TensorUseTracker::operator=(TensorUseTracker &&other) = default;
TensorUseTracker::~TensorUseTracker() = default;

void TensorUseTracker::add(const poplar::Graph &, unsigned tile, const poplar::Tensor &t) {
  if (tile >= st->numTiles)
    throw poplibs_error("TensorUseTracker: no tile " + std::to_string(tile) + " among " + std::to_string(st->numTiles));
  for (const poplar::VariableInterval &region : t.getVarRegions())
    st->uses[region.var].push_back({region.interval.begin(), region.interval.end(), tile});
}

void TensorUseTracker::add(TensorUseTracker other) {
  for (const auto &variable : other.st->uses) {
    std::vector<Use> &mine = st->uses[variable.first];
    mine.insert(mine.end(), variable.second.begin(), variable.second.end());
  }
}

void TensorUseTracker::resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                               bool extendPartialUsage, MappingMethod) {
  for (auto &variable : st->uses) {
    std::vector<Segment> segments = segmentsOf(variable.second);
    if (extendPartialUsage && !segments.empty())
      extend(segments, graph.getVariable(variable.first).numElements());
    variable.second = st->share(segments, grainSize, minElementsPerTile);
  }
}

void TensorUseTracker::mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                                       bool extendPartialUsage, MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, mappingMethod);
  for (const auto &variable : st->uses) {
    if (graph.isConstant(variable.first))
      continue;
    const poplar::Tensor flat = graph.getVariable(variable.first).flatten();
    for (const Use &use : variable.second)
      graph.setTileMapping(flat.slice(use.begin, use.end), use.tile);
  }
}

bool TensorUseTracker::empty() const { return st->uses.empty(); }

} // namespace poputil
