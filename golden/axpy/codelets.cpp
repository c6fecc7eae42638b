#include <poplar/Vertex.hpp>

// test_golden.py:3   y[:] = a * x + y
class update_y : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> y;
  poplar::Input<float> a;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
  unsigned i0_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      y[i0] = *a * x[i0] + y[i0];
    }
    return true;
  }
};
