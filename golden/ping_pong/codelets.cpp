#include <poplar/Vertex.hpp>

// test_golden.py:4   B[1:-1] = 0.5 * (A[:-2] + A[2:])
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> B;
  unsigned i0_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      B[i0] = 0.5f * (A[i0] + A[i0 + 2]);
    }
    return true;
  }
};

// test_golden.py:5   A[1:-1] = 0.5 * (B[:-2] + B[2:])
class update_A : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> B;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  unsigned i0_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      A[i0] = 0.5f * (B[i0] + B[i0 + 2]);
    }
    return true;
  }
};
