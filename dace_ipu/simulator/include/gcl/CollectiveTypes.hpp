// Groups of replicas and what collectives compute.
#ifndef gcl_CollectiveTypes_hpp
#define gcl_CollectiveTypes_hpp

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <iosfwd>
#include <vector>

namespace gcl {

/// Which replicas work together: all; each `size` neighbours; or each `size` that are as far apart as possible.
enum class CommGroupType { ALL, CONSECUTIVE, ORTHOGONAL };
std::ostream &operator<<(std::ostream &os, const CommGroupType &type);

class CommGroup {
public:
  CommGroup() = default;
  /// `groupSize` replicas, `stride` apart; a size of 0 means all. ORTHOGONAL groups find their stride themselves.
  CommGroup(const CommGroupType &groupType, unsigned groupSize, unsigned stride = 1)
      : type_(groupType), size_(groupSize), stride_(stride) {}
  CommGroupType type() const { return type_; }
  unsigned replicaGroupSize() const { return size_; }
  unsigned replicaGroupStride() const { return stride_; }

private:
  CommGroupType type_ = CommGroupType::ALL;
  unsigned size_ = 0;
  unsigned stride_ = 1;
};

/// MEAN is the sum divided by the number of tensors, LOCAL does nothing.
enum class CollectiveOperator { ADD, MEAN, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOCAL };
std::ostream &operator<<(std::ostream &os, const CollectiveOperator &op);

/// A part of a reduced tensor, on one IPU.
struct Chunk {
  poplar::Tensor tensor;
  unsigned index = 0;  ///< the IPU
  unsigned offset = 0; ///< place among the chunks
  Chunk() = default;
  Chunk(poplar::Tensor tensor, unsigned index, unsigned offset) : tensor(tensor), index(index), offset(offset) {}
};

struct Chunks {
  std::vector<Chunk> chunks;
  poplar::Tensor originalInput;
  Chunks() = default;
  explicit Chunks(unsigned size) : chunks(size) {}
};

} // namespace gcl

#endif
