#include <poplar/Vertex.hpp>
#include <ipu_vector_math>

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// test_golden.py:3   s[0] = np.sum(A)
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> s;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float s_sum = 0.0f;
    const float2 *A_pairs = pairs(&A[0]);
    float2 s_sum_pairs = {0.0f, 0.0f};
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      s_sum_pairs += A_pairs[i0];
    }
    s_sum += s_sum_pairs.x;
    s_sum += s_sum_pairs.y;
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      s_sum += A[i0];
    }
    s[worker] = s_sum;
    return true;
  }
};

// result[k] = sum of all of partials[lane][k]; partials holds its lanes one behind the other.
class fold_sum_float32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      float total = 0.0f;
      for (unsigned lane = 0, at = k; lane < lanes; ++lane, at += size) {
        total += partials[at];
      }
      result[k] = total;
    }
    return true;
  }
};
