// The kinds of pooling.
#ifndef popnn_PoolingDef_hpp
#define popnn_PoolingDef_hpp

namespace popnn {

enum class PoolingType { MAX, AVG, SUM };

inline const char *asString(PoolingType type) {
  return type == PoolingType::MAX ? "max" : type == PoolingType::AVG ? "avg" : "sum";
}

} // namespace popnn

#endif
