#include <poplar/Vertex.hpp>

// test_golden.py:3   for i, j in dace.map[0:8, 0:10]:
class update_C : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> C;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i_size;
  unsigned j_size;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < i_size; i += numWorkers()) {
      for (unsigned j = 0; j < j_size; ++j) {
        float C_sum = 0.0f;
        for (unsigned k = 0; k < 6; ++k) {
          C_sum += A[6 * i + k] * B[k][j];
        }
        C[i][j] = C_sum;
      }
    }
    return true;
  }
};
