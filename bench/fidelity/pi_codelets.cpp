#include <poplar/Vertex.hpp>

using namespace poplar;

class Pi : public Vertex {
public:
  Output<float> sum;
  unsigned slices;
  float width;

  bool compute() {
    float total = 0;
    const unsigned last = slices;
    for (unsigned j = 1; j <= last; ++j) {
      const float x = (j - 0.5f) * width;
      total += 4.0f / (1.0f + x * x);
    }
    *sum = total;
    return true;
  }
};
