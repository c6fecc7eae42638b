#ifndef poplar_replication_factor_hpp
#define poplar_replication_factor_hpp

namespace poplar {

/// How many times the graph is replicated over the IPUs of the target.
class replication_factor {
public:
  explicit replication_factor(unsigned count) : count_(count) {}
  explicit operator unsigned() const { return count_; }
  unsigned get() const { return count_; }

private:
  unsigned count_;
};

} // namespace poplar

#endif
