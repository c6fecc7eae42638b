#include <poplar/Vertex.hpp>

// test_golden.py:3   return A[3] + 1
class update_result : public poplar::Vertex {
public:
  poplar::Input<float> A;
  poplar::Output<float> result;

  bool compute() {
    *result = *A + 1.0f;
    return true;
  }
};
