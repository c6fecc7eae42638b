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

// test_golden.py:3   r[:] = np.max(A, axis=1)
class reduce_output : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> r;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  unsigned o0_size;

  bool compute(unsigned worker) {
    for (unsigned o0 = worker; o0 < o0_size; o0 += numWorkers()) {
      float r_max = -INFINITY;
      const float2 *A_pairs = pairs(&A[9 * o0]);
      float2 r_max_pairs = {r_max, r_max};
      const unsigned i0_pairs = 1 == 0 ? 4 : 0;
      for (unsigned i0 = 0; i0 < i0_pairs; ++i0) {
        r_max_pairs = max(r_max_pairs, A_pairs[i0]);
      }
      r_max = max(r_max, r_max_pairs.x);
      r_max = max(r_max, r_max_pairs.y);
      for (unsigned i0 = 2 * i0_pairs; i0 < 9; ++i0) {
        r_max = max(r_max, A[9 * o0 + i0]);
      }
      r[o0] = r_max;
    }
    return true;
  }
};
