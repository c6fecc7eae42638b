#include <poplar/Vertex.hpp>

// test_golden.py:3   y[:] = 3 * x
class update_y : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> y;
  unsigned i0_size;

  bool compute(unsigned worker) {
    for (unsigned i0 = worker; i0 < i0_size; i0 += numWorkers()) {
      y[i0] = 3.0f * x[i0];
    }
    return true;
  }
};
