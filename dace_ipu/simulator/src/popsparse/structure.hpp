// Where the values of a sparse matrix belong: one order for all formats.
#pragma once

#include <popsparse/MatMulParams.hpp>
#include <popsparse/SparseStorageFormats.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace popsparse::static_ {

/// Place of a block, in blocks.
struct Place {
  std::size_t row, col;
};

/// The blocks of a matrix in the order of the device: by row, then by column; for a product from the right by column,
/// then by row, because it is calculated as the transposed product.
struct Structure {
  std::size_t numRows = 0, numColumns = 0;     // elements
  std::array<std::size_t, 2> block = {{1, 1}}; // {rows, columns}
  bool byColumn = false;
  std::vector<Place> places;
  std::size_t blockSize() const { return block[0] * block[1]; }
};

/// A structure, and for each of its blocks the one in the matrix that it comes from.
struct Ordered {
  std::shared_ptr<Structure> structure;
  std::vector<std::size_t> from;
};

/// Throws poputil::poplibs_error, `what` first, if a matrix is not well formed or has not the sizes of the parameters.
template <typename T> Ordered orderOf(const std::string &what, const COOMatrix<T> &matrix, const MatMulParams &params);
template <typename T> Ordered orderOf(const std::string &what, const CSRMatrix<T> &matrix, const MatMulParams &params);
template <typename T> Ordered orderOf(const std::string &what, const CSCMatrix<T> &matrix, const MatMulParams &params);

} // namespace popsparse::static_
