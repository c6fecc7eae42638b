#include <poplar/Vertex.hpp>

// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return a > b || a != a ? a : b;
}

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class first_k : public poplar::Vertex {
public:
  poplar::Output<int> k;

  bool compute() {
    *k = 0;
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class fetch_A_2 : public poplar::MultiVertex {
public:
  poplar::Input<int> k;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A_2;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice_2;
  int at_0_size;

  bool compute(unsigned worker) {
    const int k_value = *k;
    for (int at_0 = worker; at_0 < at_0_size; at_0 += numWorkers()) {
      A_slice[at_0] = A[at_0][k_value];
      A_slice_2[at_0] = A_2[k_value][at_0];
    }
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class update_A : public poplar::MultiVertex {
public:
  poplar::Input<int> k;
  poplar::Vector<poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice_2;
  int i_size;
  int j_size;
  int i_begin;
  int j_begin;

  bool compute(unsigned worker) {
    const int k_value = *k;
    for (int i = worker; i < i_size; i += numWorkers()) {
      if (k_value + 1 <= i_begin + i + 1) {
        const float A_slice_i = A_slice[i];
        for (int j = max(k_value - j_begin, 0); j < j_size; ++j) {
          A[i][j] = A[i][j] - A_slice_i * A_slice_2[j];
        }
      }
    }
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class next_k : public poplar::Vertex {
public:
  poplar::InOut<int> k;

  bool compute() {
    *k = *k + 1;
    return true;
  }
};
