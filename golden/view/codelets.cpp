#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// test_golden.py:4   B[:] = flat + 1
class update_B : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A_reshaped;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      const float2 *A_reshaped_pairs = pairs(&A_reshaped[i0][0]);
      float2 *B_pairs = pairs(&B[i0][0]);
      const unsigned i1_pairs = i1_size / 2;
      for (unsigned i1 = 0; i1 < i1_pairs; ++i1) {
        B_pairs[i1] = A_reshaped_pairs[i1] + 1.0f;
      }
      if (i1_size % 2 != 0) {
        const unsigned i1 = i1_size - 1;
        B[i0][i1] = A_reshaped[i0][i1] + 1.0f;
      }
    }
    return true;
  }
};
