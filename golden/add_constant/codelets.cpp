#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// test_golden.py:3   C[:] = A + 5
class update_C : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> C;
  unsigned i0_size;

  bool compute(unsigned worker) {
    const float2 *A_pairs = pairs(&A[0]);
    float2 *C_pairs = pairs(&C[0]);
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      C_pairs[i0] = A_pairs[i0] + 5.0f;
    }
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      C[i0] = A[i0] + 5.0f;
    }
    return true;
  }
};
