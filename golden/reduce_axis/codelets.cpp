#include <poplar/Vertex.hpp>
#include <cmath>

// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return a > b || a != a ? a : b;
}

// test_golden.py:3   r[:] = np.max(A, axis=1)
class reduce_output : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> r;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  unsigned o0_size;

  bool compute(unsigned worker) {
    for (unsigned o0 = worker; o0 < o0_size; o0 += numWorkers()) {
      float r_max = -INFINITY;
      for (unsigned i0 = 0; i0 < 9; ++i0) {
        r_max = max(r_max, A[9 * o0 + i0]);
      }
      r[o0] = r_max;
    }
    return true;
  }
};
