#include <poplar/Vertex.hpp>

// test_golden.py:3   C[:] = A + 5
class update_C : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> C;
  unsigned i0_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      C[i0] = A[i0] + 5.0f;
    }
    return true;
  }
};
