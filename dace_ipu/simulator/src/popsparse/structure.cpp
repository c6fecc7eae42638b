#include "structure.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace popsparse::static_ {

namespace {

[[noreturn]] void fail(const std::string &what, const std::string &why) {
  throw poputil::poplibs_error(what + ": " + why);
}

// Starts of lines in nzValues, and an index for every block: a line for every block.
std::vector<std::size_t> linesOf(const std::string &what, const std::vector<std::size_t> &starts, std::size_t count,
                                 std::size_t blockSize, std::size_t blockLength) {
  std::vector<std::size_t> lines;
  if (starts.empty() || starts.front() != 0 || starts.back() != count * blockSize)
    fail(what, "the starts of lines must begin with 0 and end with the number of values");
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i] > starts[i + 1] || starts[i] % blockSize != 0)
      fail(what, "the starts of lines must ascend, in whole blocks");
    lines.insert(lines.end(), (starts[i + 1] - starts[i]) / blockSize, i * blockLength);
  }
  return lines;
}

Ordered order(const std::string &what, const std::vector<std::size_t> &rows, const std::vector<std::size_t> &cols,
              std::size_t count, const Block &block, const MatMulParams &params) {
  if (params.getNumGroups() != 1)
    fail(what, std::to_string(params.getNumGroups()) + " groups are not supported yet; there must be one");
  auto s = std::make_shared<Structure>();
  s->byColumn = params.isTransposed();
  s->numRows = s->byColumn ? params.getK() : params.getM();
  s->numColumns = s->byColumn ? params.getM() : params.getK();
  s->block = block.getBlockDimensions();
  if (s->numRows % s->block[0] != 0 || s->numColumns % s->block[1] != 0)
    fail(what, "the blocks do not divide the matrix");
  if (rows.size() != count || cols.size() != count)
    fail(what, std::to_string(count) + " blocks need as many indices, not " + std::to_string(rows.size()) + " and " +
                   std::to_string(cols.size()));
  const auto key = [&](std::size_t i) {
    return s->byColumn ? std::tuple(cols[i], rows[i]) : std::tuple(rows[i], cols[i]);
  };
  std::vector<std::size_t> from(count);
  std::iota(from.begin(), from.end(), 0);
  std::sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = rows[from[i]], col = cols[from[i]];
    if (row >= s->numRows || col >= s->numColumns || row % s->block[0] != 0 || col % s->block[1] != 0)
      fail(what, "there is no block at row " + std::to_string(row) + ", column " + std::to_string(col));
    if (i > 0 && key(from[i - 1]) == key(from[i]))
      fail(what, "there are two blocks at row " + std::to_string(row) + ", column " + std::to_string(col));
    s->places.push_back({row / s->block[0], col / s->block[1]});
  }
  return {s, from};
}

template <typename Matrix> std::size_t blocksIn(const std::string &what, const Matrix &matrix) {
  if (matrix.getBlockSize() == 0 || matrix.nzValues.size() % matrix.getBlockSize() != 0)
    fail(what, std::to_string(matrix.nzValues.size()) + " values are no whole blocks");
  return matrix.nzValues.size() / matrix.getBlockSize();
}

} // namespace

template <typename T> Ordered orderOf(const std::string &what, const COOMatrix<T> &m, const MatMulParams &params) {
  return order(what, m.rowIndices, m.columnIndices, blocksIn(what, m), m, params);
}

template <typename T> Ordered orderOf(const std::string &what, const CSRMatrix<T> &m, const MatMulParams &params) {
  const std::size_t n = blocksIn(what, m);
  const auto rows = linesOf(what, m.rowIndices, n, m.getBlockSize(), m.getNumRowsInBlock());
  return order(what, rows, m.columnIndices, n, m, params);
}

template <typename T> Ordered orderOf(const std::string &what, const CSCMatrix<T> &m, const MatMulParams &params) {
  const std::size_t n = blocksIn(what, m);
  const auto cols = linesOf(what, m.columnIndices, n, m.getBlockSize(), m.getNumColumnsInBlock());
  return order(what, m.rowIndices, cols, n, m, params);
}

#define INSTANTIATE(T)                                                                                                 \
  template Ordered orderOf(const std::string &, const COOMatrix<T> &, const MatMulParams &);                           \
  template Ordered orderOf(const std::string &, const CSRMatrix<T> &, const MatMulParams &);                           \
  template Ordered orderOf(const std::string &, const CSCMatrix<T> &, const MatMulParams &);
INSTANTIATE(float)
INSTANTIATE(double)

} // namespace popsparse::static_
