#include "../core/types.hpp"
#include "../core/variable.hpp"
#include "../core/view.hpp"

#include <poplar/Tensor.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace poplar {

using dace_ipu_sim::Run;
using dace_ipu_sim::Shape;
using dace_ipu_sim::View;
using dace_ipu_sim::ViewPtr;

namespace {

const View &viewOf(const Tensor &t, const char *function) {
  if (!t.valid())
    throw poplar_error(std::string(function) + ": the tensor is not valid (default constructed or moved from)");
  return *t.view();
}

[[noreturn]] void outOfRange(const Tensor &t, const std::string &function, const std::string &what) {
  throw index_error(function, what + " is out of range for " + t.getDebugStr());
}

void checkDim(const Tensor &t, unsigned dim, const char *function) {
  if (dim >= viewOf(t, function).rank())
    outOfRange(t, function, "dimension " + std::to_string(dim));
}

std::string shapeText(ArrayRef<std::size_t> shape) {
  std::string s = "{";
  for (std::size_t i = 0; i < shape.size(); ++i)
    s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "}";
}

} // namespace

std::size_t Tensor::numElements() const { return viewOf(*this, "numElements").elements; }
std::vector<std::size_t> Tensor::shape() const { return viewOf(*this, "shape").shape; }
unsigned Tensor::rank() const { return viewOf(*this, "rank").rank(); }

std::size_t Tensor::dim(unsigned i) const {
  checkDim(*this, i, "dim");
  return view_->shape[i];
}

Tensor Tensor::operator[](std::size_t i) const {
  checkDim(*this, 0, "operator[]");
  if (i >= view_->shape[0])
    outOfRange(*this, "operator[]", "index " + std::to_string(i));
  return Tensor(type_, dace_ipu_sim::indexView(view_, 0, i));
}

Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  checkDim(*this, dimension, "slice");
  if (begin > end || end > view_->shape[dimension])
    outOfRange(*this, "slice",
               "[" + std::to_string(begin) + "," + std::to_string(end) + ") of dimension " + std::to_string(dimension));
  return Tensor(type_, dace_ipu_sim::sliceView(view_, dimension, begin, end));
}

Tensor Tensor::slice(const Interval &region, unsigned dimension) const {
  return slice(region.begin(), region.end(), dimension);
}

Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  if (begin.size() != end.size() || begin.size() > viewOf(*this, "slice").rank())
    outOfRange(*this, "slice", shapeText(begin) + " to " + shapeText(end));
  Tensor t = *this;
  for (unsigned d = 0; d < begin.size(); ++d)
    t = t.slice(begin[d], end[d], d);
  return t;
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const {
  std::vector<Tensor> result;
  for (const Interval &i : intervals)
    result.push_back(slice(i, dimension));
  return result;
}

std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>> &intervals, unsigned dimension) const {
  std::vector<Tensor> result;
  for (const auto &group : intervals) {
    const std::vector<Tensor> parts = slices(ArrayRef<Interval>(group), dimension);
    result.push_back(parts.empty() ? slice(0, 0, dimension) : concat(parts, dimension));
  }
  return result;
}

std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices, unsigned dimension) const {
  std::vector<Tensor> result;
  for (const unsigned i : indices)
    result.push_back(slice(i, std::size_t(i) + 1, dimension));
  return result;
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  Tensor t = *this;
  for (const std::size_t i : indices)
    t = t[i];
  return t;
}

Tensor Tensor::flatten() const {
  const View &v = viewOf(*this, "flatten");
  return Tensor(type_, dace_ipu_sim::reshapeView(view_, {v.elements}));
}

Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  if (dimBegin > dimEnd || dimEnd > viewOf(*this, "flatten").rank())
    outOfRange(*this, "flatten", "[" + std::to_string(dimBegin) + "," + std::to_string(dimEnd) + ")");
  std::size_t merged = 1;
  for (unsigned d = dimBegin; d < dimEnd; ++d)
    merged *= view_->shape[d];
  return reshapePartial(dimBegin, dimEnd, {merged});
}

Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  const Shape wanted = shape.cloneAsVector();
  if (dace_ipu_sim::product(wanted) != viewOf(*this, "reshape").elements)
    throw poplar_error("reshape: shape " + shapeText(shape) + " does not have the number of elements of " +
                       getDebugStr());
  return Tensor(type_, dace_ipu_sim::reshapeView(view_, wanted));
}

Tensor Tensor::reshapePartial(unsigned beginDim, unsigned endDim, ArrayRef<std::size_t> newDims) const {
  if (beginDim > endDim || endDim > viewOf(*this, "reshapePartial").rank())
    outOfRange(*this, "reshapePartial", "[" + std::to_string(beginDim) + "," + std::to_string(endDim) + ")");
  Shape shape(view_->shape.begin(), view_->shape.begin() + beginDim);
  shape.insert(shape.end(), newDims.begin(), newDims.end());
  shape.insert(shape.end(), view_->shape.begin() + endDim, view_->shape.end());
  return reshape(shape);
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  const View &v = viewOf(*this, "dimShuffle");
  std::vector<unsigned> sorted = permutation.cloneAsVector();
  std::sort(sorted.begin(), sorted.end());
  for (unsigned d = 0; d < sorted.size(); ++d)
    if (sorted.size() != v.rank() || sorted[d] != d)
      throw poplar_error("dimShuffle: not a permutation of the " + std::to_string(v.rank()) + " dimensions of " +
                         getDebugStr());
  if (sorted.size() != v.rank())
    throw poplar_error("dimShuffle: permutation of no dimensions for " + getDebugStr());
  return Tensor(type_, dace_ipu_sim::permuteView(view_, permutation.cloneAsVector()));
}

Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const {
  const unsigned r = rank();
  constexpr unsigned unset = ~0u;
  if (source.size() != destination.size())
    throw poplar_error("dimShufflePartial: different numbers of source and destination dimensions");
  std::vector<unsigned> perm(r, unset);
  std::vector<bool> used(r, false);
  for (std::size_t i = 0; i < source.size(); ++i) {
    checkDim(*this, source[i], "dimShufflePartial");
    checkDim(*this, destination[i], "dimShufflePartial");
    perm[destination[i]] = source[i];
    used[source[i]] = true;
  }
  unsigned next = 0;
  for (unsigned &p : perm) {
    if (p != unset)
      continue;
    while (next < r && used[next])
      ++next;
    p = next++;
  }
  return dimShuffle(perm);
}

Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const { return dimShufflePartial({dimIdx}, {newIdx}); }

Tensor Tensor::transpose() const {
  if (rank() != 2)
    throw poplar_error("transpose: needs two dimensions, " + getDebugStr() + " has " + std::to_string(rank()));
  return dimShuffle({1, 0});
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  const unsigned r = rank();
  std::vector<std::size_t> sorted = indices.cloneAsVector();
  std::sort(sorted.begin(), sorted.end());
  ViewPtr v = view_;
  for (std::size_t n = 0; n < sorted.size(); ++n) {
    if (sorted[n] > r)
      outOfRange(*this, "expand", "dimension " + std::to_string(sorted[n]));
    v = dace_ipu_sim::insertDim(v, static_cast<unsigned>(sorted[n] + n));
  }
  return Tensor(type_, v);
}

Tensor Tensor::squeeze(ArrayRef<std::size_t> dims) const {
  std::vector<std::size_t> sorted = dims.cloneAsVector();
  std::sort(sorted.rbegin(), sorted.rend());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  ViewPtr v = view_;
  for (const std::size_t d : sorted) {
    checkDim(*this, static_cast<unsigned>(d), "squeeze");
    if (view_->shape[d] != 1)
      throw poplar_error("squeeze: dimension " + std::to_string(d) + " of " + getDebugStr() + " does not have size 1");
    v = dace_ipu_sim::removeDim(v, static_cast<unsigned>(d));
  }
  return Tensor(type_, v);
}

Tensor Tensor::broadcast(unsigned N, unsigned dimension) const {
  checkDim(*this, dimension, "broadcast");
  return Tensor(type_, dace_ipu_sim::broadcastView(view_, dimension, N));
}

Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  checkDim(*this, dimension, "subSample");
  if (stride == 0)
    throw poplar_error("subSample: the stride must be positive");
  return Tensor(type_, dace_ipu_sim::subSampleView(view_, dimension, stride));
}

Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod) const {
  checkDim(*this, dimension, "upsample");
  return Tensor(type_, dace_ipu_sim::upsampleView(view_, dimension, scale));
}

Tensor Tensor::reverse(unsigned dimension) const {
  checkDim(*this, dimension, "reverse");
  return Tensor(type_, dace_ipu_sim::reverseView(view_, dimension));
}

Tensor Tensor::reinterpret(const Type &type) const {
  viewOf(*this, "reinterpret");
  if (dace_ipu_sim::sizeOf(type) != dace_ipu_sim::sizeOf(type_))
    throw type_error("reinterpret: " + type.toString() + " and " + type_.toString() + " differ in size (" +
                     getDebugStr() + ")");
  return Tensor(type, view_);
}

bool Tensor::isContiguous() const {
  std::size_t offset = 0;
  return viewOf(*this, "isContiguous").elements == 0 || dace_ipu_sim::contiguousIn(*view_, &offset) != nullptr;
}

bool Tensor::containsAliases() const { return dace_ipu_sim::hasAliases(viewOf(*this, "containsAliases")); }

bool Tensor::containsConstant() const {
  bool found = false;
  dace_ipu_sim::forEachVariable(viewOf(*this, "containsConstant"),
                                [&](const dace_ipu_sim::Variable &v) { found = found || v.isConstant; });
  return found;
}

bool Tensor::isParallelWriteable() const { return !containsConstant() && !containsAliases(); }

bool Tensor::intersectsWith(const Tensor &other) const {
  std::vector<std::pair<std::pair<unsigned, std::size_t>, std::size_t>> spans;
  const auto collect = [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step) {
      const std::size_t at = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      spans.push_back({{r.var->id, at}, at + step});
    }
  };
  dace_ipu_sim::forEachRunUnordered(viewOf(*this, "intersectsWith"), collect);
  std::sort(spans.begin(), spans.end());
  const auto mine = spans;
  spans.clear();
  dace_ipu_sim::forEachRunUnordered(viewOf(other, "intersectsWith"), collect);
  return std::any_of(spans.begin(), spans.end(), [&](const auto &s) {
    auto it = std::lower_bound(mine.begin(), mine.end(), std::make_pair(s.first, std::size_t(0)));
    if (it != mine.end() && it->first.first == s.first.first && it->first.second < s.second)
      return true;
    return it != mine.begin() && (--it)->first.first == s.first.first && it->second > s.first.second;
  });
}

const std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> regions;
  std::size_t at = 0;
  dace_ipu_sim::forEachRun(viewOf(*this, "getContiguousRegions"), [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step, at += step)
      regions.emplace_back(at, at + step);
  });
  return regions;
}

const std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> regions;
  dace_ipu_sim::forEachRun(viewOf(*this, "getVarRegions"), [&](const Run &r) {
    const std::size_t step = r.contiguous() ? r.count : 1;
    for (std::size_t i = 0; i < r.count; i += step) {
      const std::size_t at = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      regions.push_back({VariableRef(r.var->id), Interval(at, at + step)});
    }
  });
  return regions;
}

bool Tensor::getConstant(void *value, const TypeTraits &traits) const {
  std::size_t offset = 0;
  if (numElements() != 1)
    return false;
  const dace_ipu_sim::Variable *var = dace_ipu_sim::contiguousIn(*view_, &offset);
  if (!var->isConstant)
    return false;
  convertFromDeviceType(type_, var->bytes.data() + offset * dace_ipu_sim::sizeOf(type_), traits, 1, value);
  return true;
}


std::string Tensor::shapeToString() const { return shapeText(viewOf(*this, "shapeToString").shape); }

std::string Tensor::getVarStr() const {
  std::string names;
  dace_ipu_sim::forEachVariable(viewOf(*this, "getVarStr"), [&](const dace_ipu_sim::Variable &v) {
    if (names.find(v.name) == std::string::npos && names.size() < 200)
      names += (names.empty() ? "" : ",") + v.name;
  });
  return names;
}

std::string Tensor::getDebugStr() const {
  if (!valid())
    return "<invalid tensor>";
  return "tensor '" + getVarStr() + "' (" + type_.toString() + " " + shapeToString() + ")";
}

std::ostream &Tensor::output(std::ostream &os) const { return os << getDebugStr(); }
void Tensor::dump() const { output(std::cerr) << '\n'; }

void Tensor::dumpRegions() const {
  dump();
  for (const VariableInterval &r : getVarRegions())
    std::cerr << "  variable " << r.var.id() << ' ' << r.interval << '\n';
}

bool operator==(const Tensor &a, const Tensor &b) {
  if (!a.valid() || !b.valid())
    return a.valid() == b.valid();
  return a.type_ == b.type_ && (a.view_ == b.view_ || dace_ipu_sim::sameView(*a.view_, *b.view_));
}

std::ostream &operator<<(std::ostream &os, const Tensor &tensor) { return tensor.output(os); }

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  if (tensors.empty())
    throw poplar_error("concat: no tensors");
  checkDim(tensors[0], dimension, "concat");
  std::vector<ViewPtr> parts;
  for (const Tensor &t : tensors) {
    Shape shape = viewOf(t, "concat").shape;
    Shape first = tensors[0].view()->shape;
    if (shape.size() == first.size())
      shape[dimension] = first[dimension];
    if (shape != first || t.elementType() != tensors[0].elementType())
      throw poplar_error("concat along dimension " + std::to_string(dimension) + ": " + t.getDebugStr() +
                         " does not fit to " + tensors[0].getDebugStr());
    parts.push_back(t.view());
  }
  return Tensor(tensors[0].elementType(), dace_ipu_sim::concatViews(parts, dimension));
}

Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat(ArrayRef<Tensor>({first, second}), dimension);
}

Tensor append(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat(first, second.expand({dimension}), dimension);
}

Tensor append(const Tensor &first, const Tensor &second) { return append(first, second, 0); }

void convertToDeviceType(const Type &type, const void *src, const TypeTraits &traits, std::size_t count, void *dst) {
  dace_ipu_sim::convertValues(src, traits, count, false, type, dst, "convertToDeviceType");
}

namespace {

template <typename T> void storeHost(double d, void *dst) {
  const T v = static_cast<T>(d);
  std::memcpy(dst, &v, sizeof(v));
}

void storeHostReal(double d, std::size_t size, void *dst) {
  if (size == 2) {
    const std::uint16_t h = dace_ipu_sim::floatToHalf(static_cast<float>(d));
    std::memcpy(dst, &h, sizeof(h));
  } else if (size == 4) {
    storeHost<float>(d, dst);
  } else if (size == 8) {
    storeHost<double>(d, dst);
  } else {
    storeHost<long double>(d, dst);
  }
}

} // namespace

void convertFromDeviceType(const Type &type, const void *src, const TypeTraits &traits, std::size_t count, void *dst) {
  const std::size_t size = dace_ipu_sim::sizeOf(type);
  const auto *in = static_cast<const std::uint8_t *>(src);
  auto *out = static_cast<std::uint8_t *>(dst);
  for (std::size_t i = 0; i < count; ++i, in += size, out += traits.size) {
    if (traits.isFloat) {
      storeHostReal(dace_ipu_sim::readElement(type, in), traits.size, out);
      continue;
    }
    const std::int64_t n = type.isFloatingPoint() ? static_cast<std::int64_t>(dace_ipu_sim::readElement(type, in))
                                                  : dace_ipu_sim::readInteger(type, in);
    std::memcpy(out, &n, traits.size); // little-endian hosts only
  }
}

} // namespace poplar
