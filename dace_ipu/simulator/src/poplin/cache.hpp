// The planning cache.
#pragma once

#include "plan.hpp"

#include <poplin/PlanningCache.hpp>

#include <map>
#include <string>

namespace poplin {

struct PlanningCacheImpl {
  std::map<std::string, internal::Plan> plans;
};

namespace internal {

/// The plan of a product: from the cache, if there is one.
Plan planOf(const poplar::Target &target, const Product &product, const Options &options, PlanningCache *cache);

} // namespace internal
} // namespace poplin
