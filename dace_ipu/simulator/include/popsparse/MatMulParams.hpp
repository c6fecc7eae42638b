// Sizes of sparse matrix products.
#ifndef popsparse_MatMulParams_hpp
#define popsparse_MatMulParams_hpp

#include <cstddef>
#include <iosfwd>

namespace popsparse {
namespace static_ {

/// The sparse matrix is {m, k} in a sparse * dense product with result {m, n}, and {k, m} in a dense * sparse one with
/// result {n, m}. `groups` must be 1.
class MatMulParams {
public:
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k, std::size_t n) {
    return MatMulParams(groups, m, k, n, false);
  }
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k, std::size_t m) {
    return MatMulParams(groups, m, k, n, true);
  }
  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  bool isTransposed() const { return transposed_; }

  friend bool operator<(const MatMulParams &a, const MatMulParams &b);
  friend bool operator==(const MatMulParams &a, const MatMulParams &b);
  friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }

private:
  MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool transposed)
      : groups_(groups), m_(m), k_(k), n_(n), transposed_(transposed) {}
  std::size_t groups_, m_, k_, n_;
  bool transposed_;
};

std::ostream &operator<<(std::ostream &os, const MatMulParams &params);

} // namespace static_
} // namespace popsparse

#endif
