#include <poplar/Vertex.hpp>

// test_golden.py:3   return A[3] + 1
class update_A_slice_plus_1 : public poplar::Vertex {
public:
  poplar::Input<float> A;
  poplar::Output<float> result;

  bool compute() {
    *result = *A + 1.0f;
    return true;
  }
};
