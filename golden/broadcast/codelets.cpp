#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// test_golden.py:3   B[:] = A * row + column
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> column;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> row;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      const float column_value = column[i0];
      const float2 *A_pairs = pairs(&A[i0][0]);
      const float2 *row_pairs = pairs(&row[0]);
      float2 *B_pairs = pairs(&B[i0][0]);
      const unsigned i1_pairs = i1_size / 2;
      for (unsigned i1 = 0; i1 < i1_pairs; ++i1) {
        B_pairs[i1] = A_pairs[i1] * row_pairs[i1] + column_value;
      }
      if (i1_size % 2 != 0) {
        const unsigned i1 = i1_size - 1;
        B[i0][i1] = A[i0][i1] * row[i1] + column_value;
      }
    }
    return true;
  }
};
