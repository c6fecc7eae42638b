// Plans that are kept from one call to the next.
#ifndef poplin_PlanningCache_hpp
#define poplin_PlanningCache_hpp

#include <cstddef>
#include <memory>

namespace poplin {

struct PlanningCacheImpl;

/// Plans of matrix products and convolutions by sizes, types and options. Equal calls with one cache plan once.
class PlanningCache {
public:
  PlanningCache();
  virtual ~PlanningCache();
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;
  /// Number of plans.
  std::size_t size() const;

  std::unique_ptr<PlanningCacheImpl> impl;
};

} // namespace poplin

#endif
