#include <poplar/Vertex.hpp>

// test_golden.py:3   B[:] = A * row + column
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> column;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> row;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      for (unsigned i1 = 0; i1 < i1_size; ++i1) {
        B[i0][i1] = A[i0][i1] * row[i1] + column[i0];
      }
    }
    return true;
  }
};
