#include "cache.hpp"

#include <sstream>

namespace poplin {

PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;
std::size_t PlanningCache::size() const { return impl->plans.size(); }

namespace internal {

namespace {

std::string keyOf(const poplar::Target &target, const Product &product, const Options &options) {
  std::ostringstream key;
  const ProductSize &s = product.size;
  key << target.hash() << ' ' << s.groups << ' ' << s.rows << ' ' << s.depth << ' ' << s.columns << ' '
      << product.input << ' ' << product.output << ' ' << options.availableMemoryProportion << ' '
      << options.partialsType;
  return key.str();
}

} // namespace

Plan planOf(const poplar::Target &target, const Product &product, const Options &options, PlanningCache *cache) {
  if (!cache)
    return planProduct(target, product, options);
  const std::string key = keyOf(target, product, options);
  const auto found = cache->impl->plans.find(key);
  if (found != cache->impl->plans.end())
    return found->second;
  return cache->impl->plans[key] = planProduct(target, product, options);
}

} // namespace internal
} // namespace poplin
