// Plans are cheap here: the cache is an argument of many functions and holds nothing.
#ifndef popsparse_PlanningCache_hpp
#define popsparse_PlanningCache_hpp

namespace poplin {
class PlanningCache;
}

namespace popsparse {
namespace static_ {

class PlanningCache {
public:
  PlanningCache() = default;
  explicit PlanningCache(poplin::PlanningCache *) {}
};

} // namespace static_
} // namespace popsparse

#endif
