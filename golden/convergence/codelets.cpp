#include <poplar/Vertex.hpp>
#include <cmath>
#include <ipu_vector_math>

// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return a > b || a != a ? a : b;
}

// The elements of a row two by two: rows begin at multiples of eight bytes.
inline float2 *pairs(float *row) { return reinterpret_cast<float2 *>(row); }
inline const float2 *pairs(const float *row) { return reinterpret_cast<const float2 *>(row); }

// Of each lane `a` where it was found true, else `b`.
inline float2 select(int2 answer, float2 a, float2 b) { return (float2)((answer & (int2)a) | (~answer & (int2)b)); }

// The greater value of each lane; a NaN if there is one.
inline float2 max(float2 a, float2 b) { return select((a > b) | (a != a), a, b); }

// test_golden.py:3   turns[0] = 0
class update_turns : public poplar::Vertex {
public:
  poplar::Output<int> turns;

  bool compute() {
    *turns = 0;
    return true;
  }
};

// test_golden.py:4   while np.max(A) > limit:
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> max_A;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float max_A_max = -INFINITY;
    const float2 *A_pairs = pairs(&A[0]);
    float2 max_A_max_pairs = {max_A_max, max_A_max};
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      max_A_max_pairs = max(max_A_max_pairs, A_pairs[i0]);
    }
    max_A_max = max(max_A_max, max_A_max_pairs.x);
    max_A_max = max(max_A_max, max_A_max_pairs.y);
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      max_A_max = max(max_A_max, A[i0]);
    }
    max_A[worker] = max_A_max;
    return true;
  }
};

// result[k] = max of all of partials[lane][k]; partials holds its lanes one behind the other.
class fold_max_float32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      float total = -INFINITY;
      for (unsigned lane = 0, at = k; lane < lanes; ++lane, at += size) {
        total = max(total, partials[at]);
      }
      result[k] = total;
    }
    return true;
  }
};

// test_golden.py:4   while np.max(A) > limit:
class set_tmp0 : public poplar::Vertex {
public:
  poplar::Input<float> max_A;
  poplar::Input<float> limit;
  poplar::Output<bool> tmp0;

  bool compute() {
    *tmp0 = *max_A > *limit;
    return true;
  }
};

// test_golden.py:5   A[:] = A * 0.5
class update_A : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float2 *A_pairs = pairs(&A[0]);
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      A_pairs[i0] = A_pairs[i0] * 0.5f;
    }
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      A[i0] = A[i0] * 0.5f;
    }
    return true;
  }
};

// test_golden.py:5   A[:] = A * 0.5
class set_turns_index : public poplar::Vertex {
public:
  poplar::Input<int> turns;
  poplar::Output<int> turns_index;

  bool compute() {
    *turns_index = *turns;
    return true;
  }
};

// test_golden.py:4   while np.max(A) > limit:
class reduce_values_2 : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> max_A;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float max_A_max = -INFINITY;
    const float2 *A_pairs = pairs(&A[0]);
    float2 max_A_max_pairs = {max_A_max, max_A_max};
    const unsigned i0_pairs = i0_size / 2;
    for (unsigned i0 = worker; i0 < i0_pairs; i0 += numWorkers()) {
      max_A_max_pairs = max(max_A_max_pairs, A_pairs[i0]);
    }
    max_A_max = max(max_A_max, max_A_max_pairs.x);
    max_A_max = max(max_A_max, max_A_max_pairs.y);
    if (worker == numWorkers() - 1 && i0_size % 2 != 0) {
      const unsigned i0 = i0_size - 1;
      max_A_max = max(max_A_max, A[i0]);
    }
    max_A[worker] = max_A_max;
    return true;
  }
};

// test_golden.py:6   turns[0] = turns[0] + 1
class update_turns_2 : public poplar::Vertex {
public:
  poplar::Input<float> max_A;
  poplar::Input<float> limit;
  poplar::Output<bool> tmp0;
  poplar::Input<int> turns_index;
  poplar::Output<int> turns;

  bool compute() {
    *tmp0 = *max_A > *limit;
    *turns = *turns_index + 1;
    return true;
  }
};
