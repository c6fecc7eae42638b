// Sparse matrices on the host.
#ifndef popsparse_SparseStorageFormats_hpp
#define popsparse_SparseStorageFormats_hpp

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

/// Size of the blocks of a matrix: {rows, columns}, {1, 1} for single elements.
struct Block {
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }

protected:
  std::array<std::size_t, 2> blockDimensions;
};

/// What the three formats have in common. Blocks follow each other in `nzValues`, each in row-major order. Row and
/// column indices count elements: those of a block are multiples of its size.
template <typename T> struct StoredMatrix : Block {
  using Dimensions = std::array<std::size_t, 2>;

  std::size_t numRows = 0;
  std::size_t numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;

  StoredMatrix(const Dimensions &blockDimensions = {{1, 1}}) { Block::blockDimensions = blockDimensions; }
  StoredMatrix(std::vector<T> nzValues, std::vector<std::size_t> columnIndices, std::vector<std::size_t> rowIndices,
               const Dimensions &blockDimensions = {{1, 1}})
      : StoredMatrix(0, 0, std::move(nzValues), std::move(columnIndices), std::move(rowIndices), blockDimensions) {}
  StoredMatrix(std::size_t numRows, std::size_t numColumns, std::vector<T> nzValues,
               std::vector<std::size_t> columnIndices, std::vector<std::size_t> rowIndices,
               const Dimensions &blockDimensions = {{1, 1}})
      : numRows(numRows), numColumns(numColumns), nzValues(std::move(nzValues)),
        columnIndices(std::move(columnIndices)), rowIndices(std::move(rowIndices)) {
    Block::blockDimensions = blockDimensions;
  }
};

/// A row and a column index for every block.
template <typename T> struct COOMatrix : StoredMatrix<T> {
  using StoredMatrix<T>::StoredMatrix;
  using Dimensions = typename StoredMatrix<T>::Dimensions;
  explicit COOMatrix(std::size_t numNZValues, const Dimensions &blockDimensions = {{1, 1}})
      : StoredMatrix<T>(blockDimensions) {
    this->nzValues.resize(numNZValues);
    this->rowIndices.resize(numNZValues);
    this->columnIndices.resize(numNZValues);
  }
};

/// A row index for every block; where each column of blocks begins in nzValues, and where the last one ends.
template <typename T> struct CSCMatrix : StoredMatrix<T> {
  using StoredMatrix<T>::StoredMatrix;
  using Dimensions = typename StoredMatrix<T>::Dimensions;
  CSCMatrix(std::size_t numNZValues, std::size_t numColumns, const Dimensions &blockDimensions = {{1, 1}})
      : StoredMatrix<T>(blockDimensions) {
    this->nzValues.resize(numNZValues);
    this->rowIndices.resize(numNZValues);
    this->columnIndices.resize(numColumns + 1);
  }
};

/// A column index for every block; where each row of blocks begins in nzValues, and where the last one ends.
template <typename T> struct CSRMatrix : StoredMatrix<T> {
  using StoredMatrix<T>::StoredMatrix;
  using Dimensions = typename StoredMatrix<T>::Dimensions;
  CSRMatrix(std::size_t numNZValues, std::size_t numRows, const Dimensions &blockDimensions = {{1, 1}})
      : StoredMatrix<T>(blockDimensions) {
    this->nzValues.resize(numNZValues);
    this->columnIndices.resize(numNZValues);
    this->rowIndices.resize(numRows + 1);
  }
};

} // namespace popsparse

#endif
