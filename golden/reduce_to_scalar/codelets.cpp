#include <poplar/Vertex.hpp>

// test_golden.py:3   s[0] = np.sum(A)
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> s;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float s_sum = 0.0f;
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
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
      for (unsigned lane = 0; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};
