// Sparse times dense and dense times sparse, against loops on the host.
#include "fixture.hpp"

#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <array>

using namespace poplar;
using namespace popsparse;
using namespace popsparse::static_;

namespace {

using Shape = std::vector<std::size_t>;

// A matrix of blocks, about one in three there; every third row of blocks has none.
struct Matrix {
  std::size_t rows, cols;
  std::array<std::size_t, 2> block;
  std::vector<float> dense;
  CSRMatrix<float> csr;

  Matrix(std::size_t rows, std::size_t cols, std::array<std::size_t, 2> block)
      : rows(rows), cols(cols), block(block), dense(rows * cols), csr(block) {
    csr.numRows = rows;
    csr.numColumns = cols;
    csr.rowIndices.push_back(0);
    for (std::size_t r = 0; r < rows; r += block[0]) {
      for (std::size_t c = 0; c < cols; c += block[1])
        if (r / block[0] % 3 != 1 && (r / block[0] + c / block[1] * 5) % 3 == 0)
          addBlock(r, c);
      csr.rowIndices.push_back(csr.nzValues.size());
    }
  }

private:
  void addBlock(std::size_t r, std::size_t c) {
    csr.columnIndices.push_back(c);
    for (std::size_t i = 0; i < block[0]; ++i)
      for (std::size_t j = 0; j < block[1]; ++j) {
        const float value = static_cast<float>(csr.nzValues.size() % 7) - 3.5f;
        dense[(r + i) * cols + c + j] = value;
        csr.nzValues.push_back(value);
      }
  }
};

std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, std::size_t m, std::size_t k,
                           std::size_t n) {
  std::vector<float> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

std::vector<float> numbers(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 11) - 5;
  return x;
}

void checkSparseDense(std::size_t m, std::size_t k, std::size_t n, std::array<std::size_t, 2> block) {
  Fixture f;
  popsparse::addCodelets(f.graph);
  const Matrix a(m, k, block);
  const MatMulParams params = MatMulParams::createForSparseDense(1, m, k, n);
  PlanningCache cache;
  const SparseTensor lhs = createSparseDenseMatMulLHS(f.graph, FLOAT, params, a.csr, "lhs", {}, &cache);
  const Tensor rhs = createSparseDenseMatMulRHS(f.graph, FLOAT, params, a.csr, "rhs", {}, &cache);
  const Tensor out = sparseDenseMatMul(f.graph, lhs, rhs, f.prog);
  CHECK_EQ(out.shape(), (Shape{1, m, n}));
  f.expose("values", lhs.getNzValuesTensor());
  f.expose("rhs", rhs);
  f.expose("out", out);
  Engine e = f.engine();
  write(e, "values", Partitioner<float>(params, FLOAT, f.graph.getTarget(), {}).createSparsityDataImpl(a.csr).nzValues);
  write(e, "rhs", numbers(k * n));
  e.run();
  CHECK_EQ(readFloats(e, "out", m * n), product(a.dense, numbers(k * n), m, k, n));
}

} // namespace

TEST(sparse_times_dense) {
  checkSparseDense(9, 12, 5, {1, 1});
  checkSparseDense(24, 16, 40, {4, 2});
  checkSparseDense(3, 3, 1, {1, 1});
  checkSparseDense(64, 64, 100, {16, 16});
}

TEST(dense_times_sparse) {
  for (const std::array<std::size_t, 2> block : {std::array<std::size_t, 2>{1, 1}, std::array<std::size_t, 2>{4, 2}}) {
    Fixture f;
    popsparse::addCodelets(f.graph);
    const std::size_t n = 7, k = 24, m = 16;
    const Matrix b(k, m, block);
    const MatMulParams params = MatMulParams::createForDenseSparse(1, n, k, m);
    const SparseTensor rhs = createDenseSparseMatMulRHS(f.graph, FLOAT, params, b.csr);
    const Tensor lhs = createDenseSparseMatMulLHS(f.graph, FLOAT, params, b.csr);
    const Tensor out = denseSparseMatMul(f.graph, lhs, rhs, f.prog);
    f.expose("values", rhs.getNzValuesTensor());
    f.expose("lhs", lhs);
    f.expose("out", out);
    Engine e = f.engine();
    write(e, "values",
          Partitioner<float>(params, FLOAT, f.graph.getTarget(), {}).createSparsityDataImpl(b.csr).nzValues);
    write(e, "lhs", numbers(n * k));
    e.run();
    CHECK_EQ(readFloats(e, "out", n * m), product(numbers(n * k), b.dense, n, k, m));
  }
}

TEST(all_formats_give_one_order_and_come_back) {
  Fixture f;
  for (bool fromRight : {false, true}) {
    const Matrix a(12, 8, {2, 4});
    const MatMulParams params =
        fromRight ? MatMulParams::createForDenseSparse(1, 3, 12, 8) : MatMulParams::createForSparseDense(1, 12, 8, 3);
    const Partitioner<float> partitioner(params, FLOAT, f.graph.getTarget(), {});
    const SparsityDataImpl<float> data = partitioner.createSparsityDataImpl(a.csr);
    const CSCMatrix<float> csc = partitioner.sparsityDataImplToCSCMatrix(data);
    const COOMatrix<float> coo = partitioner.sparsityDataImplToCOOMatrix(data);
    CHECK_EQ(partitioner.createSparsityDataImpl(csc).nzValues, data.nzValues);
    CHECK_EQ(partitioner.createSparsityDataImpl(coo).nzValues, data.nzValues);
    const CSRMatrix<float> csr = partitioner.sparsityDataImplToCSRMatrix(data);
    CHECK_EQ(csr.nzValues, a.csr.nzValues);
    CHECK_EQ(csr.rowIndices, a.csr.rowIndices);
    CHECK_EQ(csr.columnIndices, a.csr.columnIndices);
  }
}

TEST(sparse_matrices_that_do_not_fit) {
  Fixture f;
  popsparse::addCodelets(f.graph);
  const Matrix a(9, 12, {1, 1});
  const MatMulParams params = MatMulParams::createForSparseDense(1, 9, 12, 5);
  const SparseTensor lhs = createSparseDenseMatMulLHS(f.graph, FLOAT, params, a.csr);
  const Tensor rhs = f.variable("rhs", {1, 11, 5});
  CHECK_THROWS(sparseDenseMatMul(f.graph, lhs, rhs, f.prog), poputil::poplibs_error, "with 12 to multiply");
  CHECK_THROWS(sparseDenseMatMul(f.graph, lhs, rhs, f.prog, true), poputil::poplibs_error, "not supported yet");
  CHECK_THROWS(createSparseDenseMatMulLHS(f.graph, FLOAT, MatMulParams::createForSparseDense(2, 9, 12, 5), a.csr),
               poputil::poplibs_error, "2 groups are not supported yet");
  CHECK_THROWS(createSparseDenseMatMulLHS(f.graph, FLOAT, MatMulParams::createForSparseDense(1, 9, 4, 5), a.csr),
               poputil::poplibs_error, "there is no block at row");
}
