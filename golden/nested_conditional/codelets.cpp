#include <poplar/Vertex.hpp>

// test_golden.py:3   for i in dace.map[0:8]:
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> B;
  unsigned i_size;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < i_size; i += numWorkers()) {
      float total = 0.0f;
      for (unsigned j = 0; j < 10; ++j) {
        if (A[10 * i + j] > 0.0f) {
          total += A[10 * i + j];
        } else {
          total = total - 2.0f * A[10 * i + j];
        }
      }
      B[i] = total;
    }
    return true;
  }
};
