// Sparse matrices from and to the order of the device.
#ifndef popsparse_SparsePartitioner_hpp
#define popsparse_SparsePartitioner_hpp

#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <memory>
#include <string>
#include <vector>

namespace popsparse {
namespace static_ {

template <typename T> struct SparsityDataImpl {
  std::vector<T> nzValues;
  SparsityDataImpl(std::vector<T> nzValues) : nzValues(std::move(nzValues)) {}
};

struct Structure;

/// Orders values for the device, and back. T is float or double. The way back goes to the structure of the last matrix
/// that was ordered. Throws poputil::poplibs_error for matrices that are not well formed or do not fit the parameters.
template <typename T> class Partitioner {
public:
  Partitioner(const MatMulParams &params, const poplar::Type &dataType, const poplar::Target &target,
              const poplar::OptionFlags &options, PlanningCache *cache = nullptr, std::string name = "");

  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;

private:
  MatMulParams params_;
  std::string name_;
  mutable std::shared_ptr<const Structure> last_;
};

} // namespace static_
} // namespace popsparse

#endif
