#include <poplar/Vertex.hpp>

// test_golden.py:3   B[1:-1, 1:-1] = 0.25 * (A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])
class update_B : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = 0; i0 < i0_size; ++i0) {
      for (unsigned i1 = worker; i1 < i1_size; i1 += numWorkers()) {
        B[i0][i1] = 0.25f * (A[i0][i1 + 1] + A[i0 + 2][i1 + 1] + A[i0 + 1][i1] + A[i0 + 1][i1 + 2]);
      }
    }
    return true;
  }
};
