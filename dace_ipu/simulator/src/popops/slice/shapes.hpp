// From the tensors of the public functions to tables and back, with all checks.
#pragma once

#include "operation.hpp"

#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popops::slice {

/// The arguments that all slicing functions have in common, checked.
class Call {
public:
  /// `what` begins every message: the function and its debug name. Throws poputil::poplibs_error.
  Call(std::string what, std::vector<std::size_t> shape, std::vector<std::size_t> dims, std::vector<std::size_t> sizes);

  const Window &window() const { return window_; }
  void setRemap(bool remap) { window_.remap = remap; }
  /// The size of all dimensions that are not sliced.
  std::size_t cols() const;
  /// Shape of one slice.
  std::vector<std::size_t> sliceShape() const;

  /// {rows, cols} of a tensor of the shape.
  poplar::Tensor table(const poplar::Tensor &t) const;
  /// The tensor that such a table is of.
  poplar::Tensor fromTable(const poplar::Tensor &table) const;
  /// {n * slots, cols} of slices {n, slice shape...}.
  poplar::Tensor slices(const poplar::Tensor &s) const;
  poplar::Tensor fromSlices(const poplar::Tensor &slices) const;
  /// {n, dims} UNSIGNED_INT of the offsets of n slices. Throws if they have another shape.
  poplar::Tensor offsets(const poplar::Tensor &offsets) const;
  void checkSlices(const poplar::Tensor &t, const poplar::Tensor &s, std::size_t n) const;
  [[noreturn]] void fail(const std::string &why) const;

private:
  std::string what_;
  std::vector<std::size_t> shape_, dims_;
  Window window_;
  std::vector<unsigned> order_; // sliced dimensions first

  std::vector<std::size_t> ordered(const std::vector<std::size_t> &shape) const;
};

/// What the options of slices and plans say, all checked. Throws poplar::invalid_option.
struct Options {
  bool remap = false;
  explicit Options(const poplar::OptionFlags &flags);
};

std::string text(const std::vector<std::size_t> &shape);
std::string named(const std::string &function, const poplar::DebugContext &debugContext);

} // namespace popops::slice
