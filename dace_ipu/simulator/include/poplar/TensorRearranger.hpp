// TensorRearranger: a permutation of the elements of a tensor, applied to others of the same shape.
#ifndef poplar_TensorRearranger_hpp
#define poplar_TensorRearranger_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>

#include <memory>
#include <vector>

namespace poplar {

/// Made by Graph::getSimplifyingRearranger: brings a flattened tensor into the memory order of its variable.
class TensorRearranger {
public:
  TensorRearranger() = default;
  bool valid() const { return valid_; }
  /// Elements of the flattened tensor in the simple order.
  Tensor rearrange(const Tensor &t) const;
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  /// Back to the original order.
  Tensor undoRearrangement(const Tensor &t) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

  /// For the library itself: source intervals in the new order.
  explicit TensorRearranger(std::vector<Interval> order) : order_(std::move(order)), valid_(true) {}

private:
  std::vector<Interval> order_;
  bool valid_ = false;
};

} // namespace poplar

#endif
