#include <poplar/Vertex.hpp>

// test_golden.py:3   for i in dace.map[0:4]:
class update_y : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> y;
  int i_size;
  int i_begin;

  bool compute(unsigned worker) {
    for (int i = worker; i < i_size; i += numWorkers()) {
      float total = 0.0f;
      for (int j = i + i_begin; j < 4; ++j) {
        total += x[j - i_begin];
      }
      y[i] = total;
    }
    return true;
  }
};
