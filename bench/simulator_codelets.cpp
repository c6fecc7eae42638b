#include <poplar/Vertex.hpp>

class Axpy : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> x;
  poplar::Input<poplar::Vector<float>> y;
  poplar::Input<float> a;
  unsigned n;

  bool compute() {
    for (unsigned i = 0; i < n; ++i)
      x[i] += *a * y[i];
    return true;
  }
};

class Dot : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> a, b;
  poplar::Output<float> out;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};
