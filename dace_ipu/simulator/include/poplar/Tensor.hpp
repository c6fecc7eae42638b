// Tensor: a view of variables. Copying one copies the view, never data.
#ifndef poplar_Tensor_hpp
#define poplar_Tensor_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/UpsampleMethod.hpp>
#include <poplar/VariableRef.hpp>

#include <cassert>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace dace_ipu_sim {
class View;
}

namespace poplar {

/// Element type, shape and the variable elements behind each position. Views are immutable and shared: every
/// operation below costs about its rank, except where a comment says otherwise. Functions throw poplar::index_error
/// for dimensions or indices out of range and poplar::poplar_error for shapes that do not fit.
class Tensor {
public:
  Tensor() = default;

  bool valid() const { return view_ != nullptr; }
  Type elementType() const { return type_; }
  std::size_t numElements() const;
  std::size_t dim(unsigned i) const;
  std::vector<std::size_t> shape() const;
  unsigned rank() const;

  /// Sub-tensor i of the outermost dimension, with one dimension less.
  Tensor operator[](std::size_t i) const;
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
  Tensor slice(const Interval &region, unsigned dimension = 0) const;
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const;
  Tensor index(ArrayRef<std::size_t> indices) const;

  Tensor flatten() const;
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  Tensor reshapePartial(unsigned beginDim, unsigned endDim, ArrayRef<std::size_t> newDims) const;
  /// Dimension i of the result is dimension permutation[i] of this tensor.
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  Tensor transpose() const;
  /// Inserts dimensions of size 1 before the given dimensions.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Removes the given dimensions, which must have size 1.
  Tensor squeeze(ArrayRef<std::size_t> dims) const;
  /// Repeats the tensor N times along a dimension; the elements alias.
  Tensor broadcast(unsigned N, unsigned dimension) const;
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  Tensor reverse(unsigned dimension) const;
  /// The same bits seen as another type of the same size.
  Tensor reinterpret(const Type &type) const;

  bool isContiguous() const;
  bool containsAliases() const;
  bool containsConstant() const;
  /// Neither aliases nor constants.
  bool isParallelWriteable() const;
  bool intersectsWith(const Tensor &other) const;
  /// Ranges of the flattened tensor that are contiguous in one variable.
  const std::vector<Interval> getContiguousRegions() const;
  const std::vector<VariableInterval> getVarRegions() const;
  /// Reads a constant of one element. Returns false if the tensor is something else.
  template <typename T> bool getConstantValue(T *value) const {
    static_assert(TypeTraits::isSimpleType<T>(), "getConstantValue needs a simple type");
    return getConstant(value, TypeTraits::make<T>());
  }

  /// The metadata that a quarter tensor was made with, or an invalid tensor.
  Tensor getMetadata() const;
  bool hasMetadata() const;

  std::string shapeToString() const;
  std::string getVarStr() const;
  std::string getDebugStr() const;
  void dump() const;
  void dumpRegions() const;
  std::ostream &output(std::ostream &os) const;
  friend bool operator==(const Tensor &a, const Tensor &b);
  friend bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }

  /// For the library itself.
  Tensor(Type type, std::shared_ptr<const dace_ipu_sim::View> view) : type_(type), view_(std::move(view)) {}
  const std::shared_ptr<const dace_ipu_sim::View> &view() const { return view_; }

private:
  bool getConstant(void *value, const TypeTraits &traits) const;
  Type type_;
  std::shared_ptr<const dace_ipu_sim::View> view_;
};

/// Joins tensors along a dimension. Throws poplar_error if types or the other dimensions differ.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
/// Adds `second`, which has one dimension less, at the end of a dimension of `first`.
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);
Tensor append(const Tensor &first, const Tensor &second);
std::ostream &operator<<(std::ostream &os, const Tensor &tensor);

} // namespace poplar

#endif
