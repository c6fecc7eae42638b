// Sparse matrices on the device.
#ifndef popsparse_SparseTensor_hpp
#define popsparse_SparseTensor_hpp

#include <poplar/Tensor.hpp>

#include <memory>

namespace popsparse {
namespace static_ {

struct Structure; // where the values belong

/// The values that are not zero, rank 1, in the order that a Partitioner gives them.
class SparseTensor {
public:
  using MetaData = std::shared_ptr<const Structure>;
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor &nzValues, const MetaData &opMetaData = {})
      : nzValues_(nzValues), opMetaData_(opMetaData) {}
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; }
  const MetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor nzValues_;
  MetaData opMetaData_;
};

} // namespace static_
} // namespace popsparse

#endif
