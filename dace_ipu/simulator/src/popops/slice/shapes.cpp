#include "shapes.hpp"

#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace popops::slice {

using namespace poplar;

namespace {

std::vector<unsigned> inverse(const std::vector<unsigned> &order) {
  std::vector<unsigned> result(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    result[order[i]] = i;
  return result;
}

// Permutation of a tensor with one dimension more in front.
std::vector<unsigned> behindFirst(const std::vector<unsigned> &order) {
  std::vector<unsigned> result = {0};
  for (unsigned d : order)
    result.push_back(d + 1);
  return result;
}

std::vector<std::size_t> prepended(std::size_t n, const std::vector<std::size_t> &shape) {
  std::vector<std::size_t> result = {n};
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

} // namespace

std::string text(const std::vector<std::size_t> &shape) {
  std::string result = "{";
  for (std::size_t i = 0; i < shape.size(); ++i)
    result += (i ? "," : "") + std::to_string(shape[i]);
  return result + "}";
}

std::string named(const std::string &function, const DebugContext &debugContext) {
  const std::string path = debugContext.getPathName();
  return "popops::" + function + (path.empty() ? "" : " '" + path + "'");
}

Call::Call(std::string what, std::vector<std::size_t> shape, std::vector<std::size_t> dims,
           std::vector<std::size_t> sizes)
    : what_(std::move(what)), shape_(std::move(shape)), dims_(std::move(dims)) {
  if (dims_.size() != sizes.size())
    fail("dims " + text(dims_) + " and sizes " + text(sizes) + " must be as many");
  std::vector<bool> sliced(shape_.size());
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    const std::size_t d = dims_[i];
    if (d >= shape_.size())
      fail("there is no dimension " + std::to_string(d) + " in shape " + text(shape_));
    if (sliced[d])
      fail("dimension " + std::to_string(d) + " is listed twice in dims " + text(dims_));
    if (sizes[i] > shape_[d])
      fail("a slice of " + std::to_string(sizes[i]) + " is longer than dimension " + std::to_string(d) + " of shape " +
           text(shape_));
    sliced[d] = true;
    order_.push_back(static_cast<unsigned>(d));
    window_.shape.push_back(shape_[d]);
  }
  for (unsigned d = 0; d < shape_.size(); ++d)
    if (!sliced[d])
      order_.push_back(d);
  window_.sizes = std::move(sizes);
}

void Call::fail(const std::string &why) const { throw poputil::poplibs_error(what_ + ": " + why); }

std::size_t Call::cols() const {
  std::size_t n = 1;
  for (std::size_t i = dims_.size(); i < order_.size(); ++i)
    n *= shape_[order_[i]];
  return n;
}

std::vector<std::size_t> Call::sliceShape() const {
  std::vector<std::size_t> shape = shape_;
  for (std::size_t i = 0; i < dims_.size(); ++i)
    shape[dims_[i]] = window_.sizes[i];
  return shape;
}

std::vector<std::size_t> Call::ordered(const std::vector<std::size_t> &shape) const {
  std::vector<std::size_t> result;
  for (unsigned d : order_)
    result.push_back(shape[d]);
  return result;
}

Tensor Call::table(const Tensor &t) const { return t.dimShuffle(order_).reshape({window_.rows(), cols()}); }

Tensor Call::fromTable(const Tensor &table) const { return table.reshape(ordered(shape_)).dimShuffle(inverse(order_)); }

Tensor Call::slices(const Tensor &s) const {
  return s.dimShuffle(behindFirst(order_)).reshape({s.dim(0) * window_.slots(), cols()});
}

Tensor Call::fromSlices(const Tensor &slices) const {
  const std::size_t n = window_.slots() ? slices.dim(0) / window_.slots() : 0;
  return slices.reshape(prepended(n, ordered(sliceShape()))).dimShuffle(behindFirst(inverse(order_)));
}

Tensor Call::offsets(const Tensor &offsets) const {
  if (offsets.elementType() != UNSIGNED_INT && offsets.elementType() != INT)
    fail("offsets must be unsigned int or int, not " + offsets.elementType().toString());
  if (offsets.rank() != 2 || offsets.dim(1) != dims_.size())
    fail("offsets of shape " + text(offsets.shape()) + " do not fit " + std::to_string(dims_.size()) +
         " sliced dimensions");
  return offsets.reinterpret(UNSIGNED_INT);
}

void Call::checkSlices(const Tensor &t, const Tensor &s, std::size_t n) const {
  if (s.elementType() != t.elementType())
    fail("the slices are " + s.elementType().toString() + ", the tensor is " + t.elementType().toString());
  if (s.shape() != prepended(n, sliceShape()))
    fail("the slices have shape " + text(s.shape()) + ", not " + text(prepended(n, sliceShape())));
}

namespace {

using Check = bool (*)(const std::string &);

bool isBool(const std::string &value) { return value == "true" || value == "false"; }
bool isAnything(const std::string &) { return true; }
bool isProportion(const std::string &value) {
  char *end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return end != value.c_str() && *end == '\0' && number >= 0;
}
bool isOperation(const std::string &value) { return value == "add" || value == "max" || value == "mul"; }
bool isPartialType(const std::string &value) { return value == "half" || value == "float"; }
bool isDistribution(const std::string &value) { return value == "uniform" || value == "onePoint"; }

} // namespace

// The options that PopLibs documents for slices and plans.
Options::Options(const OptionFlags &flags) {
  static const std::map<std::string, Check> known = {{"availableMemoryProportion", isProportion},
                                                     {"indicesAreSorted", isBool},
                                                     {"indicesDistribution", isDistribution},
                                                     {"operationForUpdate", isOperation},
                                                     {"paddingIndexUsed", isBool},
                                                     {"partialType", isPartialType},
                                                     {"planConstraints", isAnything},
                                                     {"remapOutOfBoundIndices", isBool},
                                                     {"usedForSlice", isBool},
                                                     {"usedForUpdate", isBool},
                                                     {"validateIndices", isBool}};
  for (const auto &[option, value] : flags) {
    const auto it = known.find(option);
    if (it == known.end())
      throw invalid_option("popops slices: unknown option '" + option + "'");
    if (!it->second(value))
      throw invalid_option("popops slices: option '" + option + "' cannot be '" + value + "'");
    if (option == "remapOutOfBoundIndices")
      remap = value == "true";
  }
}

} // namespace popops::slice
