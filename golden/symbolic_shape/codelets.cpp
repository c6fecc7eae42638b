#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// test_golden.py:3   y[:] = x * x
class update_y : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> y;
  unsigned i0_size;

  bool compute(unsigned worker) {
    const float2 *x_pairs = pairs(&x[0]);
    float2 *y_pairs = pairs(&y[0]);
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      y_pairs[i0] = x_pairs[i0] * x_pairs[i0];
    }
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      y[i0] = x[i0] * x[i0];
    }
    return true;
  }
};
