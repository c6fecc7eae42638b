#include "structure.hpp"

#include <popsparse/SparsePartitioner.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace popsparse::static_ {

namespace {

// Blocks of `values` in the given order.
template <typename T>
std::vector<T> pick(const std::vector<T> &values, const std::vector<std::size_t> &order, std::size_t blockSize) {
  std::vector<T> result;
  result.reserve(values.size());
  for (std::size_t i : order)
    result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(i * blockSize),
                  values.begin() + static_cast<std::ptrdiff_t>((i + 1) * blockSize));
  return result;
}

// The blocks of a structure by row and column, or by column and row.
std::vector<std::size_t> sorted(const Structure &s, bool byColumn) {
  std::vector<std::size_t> order(s.places.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Place &p = s.places[a], &q = s.places[b];
    return byColumn ? std::tuple(p.col, p.row) < std::tuple(q.col, q.row)
                    : std::tuple(p.row, p.col) < std::tuple(q.row, q.col);
  });
  return order;
}

// Where each line begins in the values, from the line of every block.
std::vector<std::size_t> starts(const std::vector<std::size_t> &lines, std::size_t count, std::size_t blockSize) {
  std::vector<std::size_t> result(count + 1);
  for (std::size_t line : lines)
    result[line + 1] += blockSize;
  std::partial_sum(result.begin(), result.end(), result.begin());
  return result;
}

template <typename T>
const Structure &structureFor(const std::shared_ptr<const Structure> &last, const SparsityDataImpl<T> &data,
                              const std::string &name) {
  if (!last || last->places.size() * last->blockSize() != data.nzValues.size())
    throw poputil::poplibs_error("popsparse::static_::Partitioner '" + name +
                                 "': " + std::to_string(data.nzValues.size()) +
                                 " values do not belong to a matrix that this partitioner has ordered");
  return *last;
}

} // namespace

template <typename T>
Partitioner<T>::Partitioner(const MatMulParams &params, const poplar::Type &, const poplar::Target &,
                            const poplar::OptionFlags &, PlanningCache *, std::string name)
    : params_(params), name_(std::move(name)) {}

#define CREATE(Matrix)                                                                                                 \
  template <typename T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const Matrix<T> &matrix) const {    \
    const Ordered ordered = orderOf("popsparse::static_::Partitioner '" + name_ + "'", matrix, params_);               \
    last_ = ordered.structure;                                                                                         \
    return pick(matrix.nzValues, ordered.from, matrix.getBlockSize());                                                 \
  }
CREATE(COOMatrix)
CREATE(CSRMatrix)
CREATE(CSCMatrix)

template <typename T> COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const {
  const Structure &s = structureFor(last_, data, name_);
  const std::vector<std::size_t> order = sorted(s, false);
  std::vector<std::size_t> rows, cols;
  for (std::size_t i : order) {
    rows.push_back(s.places[i].row * s.block[0]);
    cols.push_back(s.places[i].col * s.block[1]);
  }
  return {s.numRows, s.numColumns, pick(data.nzValues, order, s.blockSize()), cols, rows, s.block};
}

template <typename T> CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const {
  const Structure &s = structureFor(last_, data, name_);
  const std::vector<std::size_t> order = sorted(s, false);
  std::vector<std::size_t> lines, cols;
  for (std::size_t i : order) {
    lines.push_back(s.places[i].row);
    cols.push_back(s.places[i].col * s.block[1]);
  }
  const auto rows = starts(lines, s.numRows / s.block[0], s.blockSize());
  return {s.numRows, s.numColumns, pick(data.nzValues, order, s.blockSize()), cols, rows, s.block};
}

template <typename T> CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const {
  const Structure &s = structureFor(last_, data, name_);
  const std::vector<std::size_t> order = sorted(s, true);
  std::vector<std::size_t> lines, rows;
  for (std::size_t i : order) {
    lines.push_back(s.places[i].col);
    rows.push_back(s.places[i].row * s.block[0]);
  }
  const auto cols = starts(lines, s.numColumns / s.block[1], s.blockSize());
  return {s.numRows, s.numColumns, pick(data.nzValues, order, s.blockSize()), cols, rows, s.block};
}

template class Partitioner<float>;
template class Partitioner<double>;

} // namespace popsparse::static_
