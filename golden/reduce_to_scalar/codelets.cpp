#include <poplar/Vertex.hpp>

// test_golden.py:3   s[0] = np.sum(A)
class reduce_init : public poplar::Vertex {
public:
  poplar::Output<float> s_slice;

  bool compute() {
    *s_slice = 0.0f;
    return true;
  }
};

// test_golden.py:3   s[0] = np.sum(A)
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> s_slice;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float s_slice_sum = 0.0f;
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      s_slice_sum += A[i0];
    }
    s_slice[worker] = s_slice_sum;
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
      float total = partials[k];
      for (unsigned lane = 1; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};

// result[k] = sum of result[k] and all of partials[lane][k]; partials holds its lanes one behind the other.
class update_sum_float32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      float total = result[k];
      for (unsigned lane = 0; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};

// test_golden.py:3   s[0] = np.sum(A)
class update_s : public poplar::Vertex {
public:
  poplar::Input<float> s_slice;
  poplar::Output<float> s;

  bool compute() {
    *s = *s_slice;
    return true;
  }
};
