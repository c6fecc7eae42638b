#include <poplar/Vertex.hpp>

// test_golden.py:4   B[:] = flat + 1
class update_B : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A_reshaped;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      for (unsigned i1 = 0; i1 < i1_size; ++i1) {
        B[i0][i1] = A_reshaped[i0][i1] + 1.0f;
      }
    }
    return true;
  }
};
